//! A head for tests.

/// As reports of 11.1 and later begin.
pub const HEAD: &str = "
  ADDM Report for Task 'T'
  ------------------------

Analysis Period
---------------
AWR snapshot range from 410 to 411.
Time period starts at 04-APR-15 06.22.17 AM
Time period ends at 04-APR-15 02.24.18 PM

Analysis Target
---------------
Database 'SHOP' with DB ID 1329819247.
Database version 12.1.0.2.0.
ADDM performed an analysis of instance shop1, numbered 1 and hosted at
h1.example.

Activity During the Analysis Period
-----------------------------------
Total database time was 602 seconds.
The average number of active sessions was 4.97.
";

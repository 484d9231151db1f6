use super::view::{Shape, View};
use super::waits;

/// Waits of all sessions.
pub static VIEW: View = View {
    name: "wait_events",
    about: "an event that any session waited for, as Statspack and AWR to 10g print them",
    titles: &["waitevents", "waitevents(fgandbg)"],
    shape: Shape::Rows,
    columns: waits::COLUMNS,
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::rows;

    #[test]
    fn hundredths_of_a_second_become_seconds() {
        let text = "
Wait Events for DB: ABC  Instance: abc  Snaps: 3 -4
-> cs - centisecond -  100th of a second

                                                                    Avg
                                                     Total Wait    wait  Waits
Event                               Waits   Timeouts  Time (cs)    (ms)   /txn
---------------------------- ------------ ---------- ----------- ------ ------
db file sequential read            10,017          2       1,250      1    9.0
          -------------------------------------------------------------
";
        let row = "event=db file sequential read waits=10017 timeouts=2 total_wait_s=12.5 avg_wait_us=1000 waits_per_txn=9";
        assert_eq!(rows(&VIEW, text), [row]);
    }
}

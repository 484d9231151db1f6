-- Counters of an Oracle Database's I/O at two moments, for plimsoll demand. Written for release {release}.
-- {licence}.
--     sqlplus / as sysdba @collect.sql
--     plimsoll demand plimsoll_collect.lst
-- It reads views V$ and GV$ with SELECT, sets how its own session writes numbers, waits {wait_s} seconds, reads the same again,
-- and appends what it read to plimsoll_collect.lst. It writes nothing to the database, makes no object, and calls no package
-- but for the wait. The role SELECT_CATALOG_ROLE is enough. Run it again for more moments: it appends, and each two that follow
-- each other give an interval. The spool names the database, hosts, instances, containers, tablespaces and segments; it holds
-- no rows of tables and no SQL text.
-- Each line is one fact: a colon and a letter, the instance, the line's number and how many there are, values between bars, and
-- |. at the end, so that a line that is missing, cut or wrapped is noticed. A bar inside a name is written \7c.
set termout off echo off feedback off heading off verify off define off serveroutput off pagesize 0 newpage none linesize 4000
set trimspool on trimout on tab off wrap on recsep off null '' time off timing off sqlprompt '' sqlnumber off
alter session set nls_numeric_characters = '.,' nls_sort = binary nls_comp = binary;
spool plimsoll_collect.lst append

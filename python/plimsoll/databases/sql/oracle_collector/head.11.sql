-- Counters of an Oracle Database's I/O at two moments, for plimsoll demand. Written for release {release}.
-- {licence}.
--     sqlplus USER@SERVICE @collect.sql
--     plimsoll demand plimsoll_collect.lst
-- USER needs the role SELECT_CATALOG_ROLE and no more, in the root of a container database CONTAINER_DATA = ALL too; / as sysdba
-- does as well. Start it in a session of its own: it ends SQL*Plus. It shows two lines and takes {wait_s} seconds and its queries.
-- It reads views V$ and GV$ with SELECT, sets how its own session writes numbers, waits {wait_s} seconds, reads the same again,
-- and appends what it read to plimsoll_collect.lst. It writes nothing to the database, makes no object, and calls no package
-- but for the wait. Run it again for more moments: it appends, and each two that follow each other give an interval.
-- The spool names the database, hosts, instances, containers, tablespaces and segments; it holds no rows of tables and no SQL text.
-- Leave out what you do not want to run, in both moments: a query that is missing, or is refused, costs only what it would tell.
-- Each line of the spool is one fact: a colon and a letter, the instance, the line's number and how many there are, values between
-- bars, and |. at the end, so that a line that is missing, cut or wrapped is noticed. A bar inside a name is written \7c.
-- In this file: {lines}.
whenever sqlerror continue
whenever oserror continue
prompt Counters are read now and in {wait_s} seconds, and go to plimsoll_collect.lst.
-- How SQL*Plus prints: each fact on a line of its own, and nothing around it.
set markup html off
set termout off echo off feedback off heading off verify off define off serveroutput off pagesize 0 newpage none linesize 4000
set trimspool on trimout on tab off wrap on recsep off null '' time off timing off sqlprompt '' sqlnumber off
set escape off autotrace off sqlcase mixed

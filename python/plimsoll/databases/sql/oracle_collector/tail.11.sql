spool off
set termout on
prompt That was all: send plimsoll_collect.lst.
exit

spool off
exit

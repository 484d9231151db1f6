spool plimsoll_collect.lst append

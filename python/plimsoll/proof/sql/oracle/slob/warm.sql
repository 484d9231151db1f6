select count(c2) from plimsoll_slob.{table}

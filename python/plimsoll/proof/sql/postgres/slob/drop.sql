drop schema plimsoll_slob cascade

comment on schema plimsoll_slob is '{marker}'

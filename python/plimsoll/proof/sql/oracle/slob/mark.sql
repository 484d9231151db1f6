comment on table plimsoll_slob.plimsoll_marker is '{marker}'

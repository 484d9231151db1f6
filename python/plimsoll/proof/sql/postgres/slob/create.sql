create schema plimsoll_slob

comment on schema plimsoll_slob is '{marker}'

drop database plimsoll_slob

alter procedure plimsoll_slob.plimsoll_marker comment '{marker}'

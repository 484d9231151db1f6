call plimsoll_slob.plimsoll_ready()

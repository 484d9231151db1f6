-- Of this instance; before the checkpoint, which a switch would else begin by itself.
alter system switch logfile

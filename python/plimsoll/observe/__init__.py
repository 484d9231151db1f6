"""Live I/O: who does which, to which file, how large and how late."""

select @@datadir

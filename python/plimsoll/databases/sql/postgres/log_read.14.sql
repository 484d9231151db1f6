-- A part of such a file. As bytes, because text in two encodings may stand in it.
select pg_read_binary_file(%s, %s, %s, true) as part

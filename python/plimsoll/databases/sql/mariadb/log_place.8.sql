-- Where the server writes its errors, by its own words, and the file in which it keeps the id of its process.
select @@log_error as name, @@datadir as folder, @@pid_file as pid_file

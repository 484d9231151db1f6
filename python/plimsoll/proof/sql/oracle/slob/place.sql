select regexp_replace(name, '/[^/]*$') as folder from v$datafile where file# = 1

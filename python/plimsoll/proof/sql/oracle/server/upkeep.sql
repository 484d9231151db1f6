-- Commits of the server's own recursive work are not counted among those of users.
select 0 as upkeep from dual

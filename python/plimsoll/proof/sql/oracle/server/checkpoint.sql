-- Of all instances.
alter system checkpoint

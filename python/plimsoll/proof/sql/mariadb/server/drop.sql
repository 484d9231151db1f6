-- The marker is a procedure and goes last, with the database, so that a drop that was cut short can be repeated.
drop table if exists {schema}.{table}

drop database {schema}

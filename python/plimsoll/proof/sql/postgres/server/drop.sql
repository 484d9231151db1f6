-- Never with cascade: what somebody built upon it meanwhile makes the server refuse, and then nothing is dropped.
drop routine if exists {schema}.{routine}

drop table if exists {schema}.{table}

drop type if exists {schema}.{type}

drop schema {schema}

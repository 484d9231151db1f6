select count(*)::bigint as rows, pg_relation_size('plimsoll_slob.{table}') / current_setting('block_size')::bigint as blocks
from plimsoll_slob.{table}

-- Keys next to each other lie in blocks far apart: rows are stored in the order of a hash of their keys, which the seed shuffles.
insert into plimsoll_slob.{table}
select key, {values}
from generate_series(1, {rows}::bigint) key
order by hashint8extended(key, {seed}), key

-- Frozen, so that the first reader of a block does not dirty it.
vacuum (freeze, analyze) plimsoll_slob.{table}

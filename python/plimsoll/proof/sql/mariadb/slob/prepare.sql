-- Instants are those of the world's time; a transaction ends when the procedure says so; ranges of other sessions are not locked.
set session time_zone = '+00:00', autocommit = 0, tx_isolation = 'READ-COMMITTED', max_statement_time = 0,
    rand_seed1 = floor({seed} * 1073741822) + 1, rand_seed2 = floor({seed} * 536870909) + {number}

call plimsoll_slob.operate_{number}(0, 0, '{}')

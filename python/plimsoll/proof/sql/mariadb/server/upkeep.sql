-- What the server does of its own accord is not counted among its transactions.
select 0 as upkeep

-- The server's clock, beside ours. Nothing else, so that the answer is quick.
select utc_timestamp(6) as server_now

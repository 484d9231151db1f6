-- The server's clock, beside ours. Nothing else, so that the answer is quick.
select sys_extract_utc(systimestamp) as server_now from dual

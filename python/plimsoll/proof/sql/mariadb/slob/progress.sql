select coalesce(sum(data_length), 0) div @@innodb_page_size as blocks
from information_schema.tables
where table_schema = 'plimsoll_slob' and table_name rlike '^cf[12]_[0-9]+$'

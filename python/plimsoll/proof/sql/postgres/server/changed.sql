-- Settings whose value is not the one that the server was built with, but for what our own session has set for itself.
select name, current_setting(name, true) as value
from pg_settings
where setting is distinct from boot_val
    and source not in ('default', 'override', 'session', 'interactive', 'test')
    and name not in ('application_name', 'client_encoding', 'DateStyle', 'TimeZone')
order by name

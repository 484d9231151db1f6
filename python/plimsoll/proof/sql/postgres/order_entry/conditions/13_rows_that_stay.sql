-- Warehouses, districts, customers, items and stock are as many as were loaded (not the specification's, but without them others mean nothing).
with broken as (
    select
        place,
        format('%s: %s rows are there, %s were loaded', name, there, loaded) as example
    from (
        values
        (1, 'warehouse', (select count(*) from plimsoll_orders.warehouse), plimsoll_orders.setting('warehouses')),
        (2, 'district', (select count(*) from plimsoll_orders.district), 10 * plimsoll_orders.setting('warehouses')),
        (
            3,
            'customer',
            (select count(*) from plimsoll_orders.customer),
            10 * plimsoll_orders.setting('warehouses') * plimsoll_orders.setting('customers_per_district')
        ),
        (4, 'item', (select count(*) from plimsoll_orders.item), plimsoll_orders.setting('items')),
        (
            5,
            'stock',
            (select count(*) from plimsoll_orders.stock),
            plimsoll_orders.setting('warehouses') * plimsoll_orders.setting('items')
        )
    ) counted (place, name, there, loaded)
    where there is distinct from loaded
)
select count(*), (select example from broken order by place limit 1) from broken

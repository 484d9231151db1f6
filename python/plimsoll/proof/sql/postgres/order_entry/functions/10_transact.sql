-- One transaction of a kind: 0 new order, 1 payment, 2 order status, 3 delivery, 4 stock level. Gives the number of order lines that
-- a new order entered, null when it must be rolled back, and 0 for all others. Who calls commits or rolls back.
create function plimsoll_orders.transact(me plimsoll_orders.terminal, kind int) returns int language plpgsql as $$
declare
    entered int := 0;
    delivered int := 0;
begin
    case kind
        when 0 then
            entered := plimsoll_orders.new_order(me);
            if entered = 0 then
                return null;
            end if;
        when 1 then
            perform plimsoll_orders.payment(me);
        when 2 then
            perform plimsoll_orders.order_status(me);
        when 3 then
            delivered := plimsoll_orders.delivery(me);
        else
            perform plimsoll_orders.stock_level(me);
    end case;
    -- In the same transaction, so that after a crash it says exactly which of them are there.
    if me.ledger then
        update plimsoll_orders.ledger as l set
            transactions = l.transactions + 1,
            orders = l.orders + (kind = 0)::int,
            order_lines = l.order_lines + entered,
            payments = l.payments + (kind = 1)::int,
            deliveries = l.deliveries + delivered
        where l.session_id = me.session_id;
    end if;
    return entered;
end
$$;

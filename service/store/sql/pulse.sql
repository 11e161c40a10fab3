-- How an operator sees whether all is well: seconds that the oldest pending submission has waited and that the oldest
-- timer is overdue, null if there is none, and the number of games set aside. What is set aside counts for neither.
select
    (
        select extract(epoch from slowlight_now() - min(s.received_at))::float8
        from submissions s join games g on g.game_id = s.game_id
        where s.status = 'PENDING' and g.quarantined_at is null
    ) as inbox_seconds,
    (
        select extract(epoch from slowlight_now() - min(t.due))::float8
        from timers t join games g on g.game_id = t.game_id
        where t.due <= (select slowlight_now()) and g.quarantined_at is null
    ) as overdue_seconds,
    (select count(*) from games where quarantined_at is not null) as quarantined

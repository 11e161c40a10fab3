-- Take house bots that are to move, for a while: a worker that dies leaves them to the next.
with stamp as materialized (
    select slowlight_now() as now
),
due as materialized (
    select t.game_id, t.seat from timers t join games g on g.game_id = t.game_id
    where t.kind = 'bot' and t.due <= (select now from stamp) and g.quarantined_at is null
        and (t.leased_until is null or t.leased_until < (select now from stamp))
    order by t.due
    limit %(most)s
    for update of t skip locked
)
update timers t set leased_until = stamp.now + %(lease)s
from due cross join stamp
where t.game_id = due.game_id and t.kind = 'bot' and t.seat = due.seat
returning t.game_id, t.kind, t.seat, t.due, t.version

-- Take house bots that are to move, for a while: a worker that dies leaves them to the next.
with due as materialized (
    select t.game_id, t.seat from timers t join games g on g.game_id = t.game_id
    where t.kind = 'bot' and t.due <= slowlight_now() and g.quarantined_at is null
        and (t.leased_until is null or t.leased_until < slowlight_now())
    order by t.due
    limit %(most)s
    for update of t skip locked
)
update timers t set leased_until = slowlight_now() + %(lease)s
from due
where t.game_id = due.game_id and t.kind = 'bot' and t.seat = due.seat
returning t.game_id, t.kind, t.seat, t.due, t.version

-- See which timers were due by a time read before: on the first look at one, remember the first transaction id not yet
-- given out. Whoever is given one from now on has read the clock later than that.
with due as materialized (
    select t.game_id, t.kind, t.seat from timers t
    where t.due <= %(by)s and t.kind in ('lapse', 'expire') and t.fence is null
    order by t.due
    limit %(most)s
    for update skip locked
)
update timers t set fence = pg_snapshot_xmax(pg_current_snapshot())
from due
where t.game_id = due.game_id and t.kind = due.kind and t.seat = due.seat

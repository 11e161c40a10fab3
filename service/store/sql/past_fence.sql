-- Timers whose time has surely passed: every transaction older than the first look has ended, and the grace is over.
select t.game_id, t.kind, t.seat, t.due, t.version
from timers t join games g on g.game_id = t.game_id
where t.due <= (select slowlight_now()) - %(grace)s and t.kind in ('lapse', 'expire')
    and t.fence <= pg_snapshot_xmin(pg_current_snapshot())
    and g.quarantined_at is null
order by t.due
limit %(most)s

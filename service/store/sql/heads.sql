-- The heads of locked games, read after the lock in a statement of its own, and the time of the decisions to come.
select game_id, version, head_hash, head_at, quarantined_at is not null as quarantined, slowlight_now() as now
from games where game_id = any(%(games)s)

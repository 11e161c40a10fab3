-- Games with what a viewer or the writer needs to know of each beside its stream.
select game_id, ruleset, rules, seats, visibility, join_secret, host_id, secret, created_at,
    version, head_hash, head_at, status, awaiting, deadline, quarantined_at is not null as quarantined,
    array(select s.player_id from seats s where s.game_id = games.game_id order by s.seat) as players,
    header is not null as imported
from games where game_id = any(%(games)s)

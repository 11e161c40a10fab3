-- For each of these players what changes whenever one of the games does that they sit in or host, until it has ended.
select player_id, count(*) as games, sum(version) as versions, count(quarantined_at) as quarantined
from (
    select s.player_id, g.version, g.quarantined_at
    from seats s join games g on g.game_id = s.game_id
    where s.player_id = any(%(players)s) and g.status <> 'ENDED'
    union all
    select g.host_id, g.version, g.quarantined_at
    from games g
    where g.host_id = any(%(players)s) and g.status <> 'ENDED'
) as own
group by player_id

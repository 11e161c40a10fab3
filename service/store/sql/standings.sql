-- Where the games stand that a player sits in or hosts: those that have not ended, and those asked for.
select g.game_id, g.version, case when g.quarantined_at is null then g.status else 'QUARANTINED' end as status,
    (select count(s.player_id) from seats s where s.game_id = g.game_id) as people
from games g
where g.game_id in (
        select game_id from seats where player_id = %(player_id)s
        union select game_id from games where host_id = %(player_id)s
    )
    and (g.status <> 'ENDED' or g.game_id = any(%(games)s))

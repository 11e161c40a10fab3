-- The games a player sits in or hosts, newest first, after a cursor; those that await the player, where asked.
select g.game_id, g.created_at
from games g left join seats s on s.game_id = g.game_id and s.player_id = %(player_id)s
where g.game_id in (
        select game_id from seats where player_id = %(player_id)s
        union select game_id from games where host_id = %(player_id)s
    )
    and (%(awaiting_me)s::boolean is null
        or (g.quarantined_at is null and s.seat is not null and s.seat = any(g.awaiting)) = %(awaiting_me)s)
    and (%(after_at)s::timestamptz is null or (g.created_at, g.game_id) < (%(after_at)s, %(after_id)s::uuid))
order by g.created_at desc, g.game_id desc
limit %(most)s

-- Put ids that stand for nobody in the place of a player: in the seats and as the host of their games, and as the
-- sender of what they sent there, under keys that they did not choose.
with places as materialized (
    select * from json_to_recordset(%(places)s::json) as p (
        game_id uuid, seat smallint, hosts boolean, sender_id uuid, host_id uuid
    )
),
seated as (
    update seats s set player_id = p.sender_id
    from places p where s.game_id = p.game_id and s.seat = p.seat and s.player_id = %(player_id)s
),
hosted as (
    update games g set host_id = p.host_id
    from places p where g.game_id = p.game_id and p.hosts and g.host_id = %(player_id)s
)
update submissions s set sender_id = p.sender_id, key = s.submission_id::text
from places p where s.game_id = p.game_id and s.sender_id = %(player_id)s

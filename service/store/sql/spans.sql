-- Stretches of the streams of several games, each after one version up to another; a game may be asked for twice.
select w.game_id, w.after, e.version, e.public, e.secret, e.prev_hash, e.hash
from json_to_recordset(%(wanted)s::json) as w (game_id uuid, after integer, upto integer)
cross join lateral (
    select * from events e
    where e.game_id = w.game_id and e.version > w.after and e.version <= w.upto
    order by e.version
) as e

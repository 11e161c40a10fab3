-- The events of several games after the versions already folded, up to a version where one is given.
select w.place, e.version, e.public, e.secret, e.prev_hash, e.hash
from json_to_recordset(%(wanted)s::json) as w (place integer, game_id uuid, after integer, upto integer)
cross join lateral (
    select * from events e
    where e.game_id = w.game_id and e.version > w.after and e.version <= w.upto
    order by e.version
) as e

-- The heads of games that do not stand in the log, so many by id after one; `logged` is the newest version that does.
select g.game_id, g.version, g.head_hash, l.version as logged
from games g
left join lateral (
    select e.version, e.hash from log_entries e where e.game_id = g.game_id order by e.version desc limit 1
) as l on true
where g.game_id > %(after)s and (l.version is distinct from g.version or l.hash is distinct from g.head_hash)
order by g.game_id
limit %(most)s

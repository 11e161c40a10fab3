-- A stretch of a stream in order: after one version and before another, so many from the chosen end.
select version, public, secret, prev_hash, hash from (
    select * from events
    where game_id = %(game_id)s and version > %(after)s and version < %(before)s
    order by case when %(backward)s then -version else version end
    limit %(most)s
) as stretch
order by version

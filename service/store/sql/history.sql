-- A stretch of a stream in order: after one version and before another, so many from the chosen end, of these names
-- and by this actor where that is asked.
select version, public, secret, prev_hash, hash from (
    select * from events
    where game_id = %(game_id)s and version > %(after)s and version < %(before)s
        and (%(names)s::text[] is null or (public::json ->> 'name') = any(%(names)s))
        and (%(actor)s::text is null or (public::json ->> 'actor') = %(actor)s)
    order by case when %(backward)s then -version else version end
    limit %(most)s
) as stretch
order by version

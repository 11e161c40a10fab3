-- Public games, newest first, after a cursor, by their status and ruleset where asked.
select game_id, created_at from games
where visibility = 'PUBLIC'
    and (%(status)s::text is null or %(status)s = case when quarantined_at is null then status else 'QUARANTINED' end)
    and (%(ruleset)s::text is null or ruleset = %(ruleset)s)
    and (%(after_at)s::timestamptz is null or (created_at, game_id) < (%(after_at)s, %(after_id)s::uuid))
order by created_at desc, game_id desc
limit %(most)s

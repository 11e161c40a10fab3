-- Put a game that came as a bundle beside its events, unless its id is taken; its seats have nobody on them.
with made as (
    insert into games (
        game_id, ruleset, rules, seats, visibility, host_id, secret, created_at,
        version, head_hash, head_at, status, awaiting, deadline, header, closing
    ) values (
        %(game_id)s, %(ruleset)s, %(rules)s, %(seats)s, %(visibility)s, %(host_id)s, %(secret)s, %(created_at)s,
        %(version)s, %(head_hash)s, %(head_at)s, %(status)s, %(awaiting)s, %(deadline)s, %(header)s, %(closing)s
    )
    on conflict do nothing
    returning game_id, seats
),
seated as (
    insert into seats (game_id, seat)
    select game_id, seat from made cross join generate_series(0, seats - 1) as seat
)
select game_id from made

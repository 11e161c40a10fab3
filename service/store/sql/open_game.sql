-- Put a new game beside its first events, which `write` adds in the same transaction.
insert into games (
    game_id, ruleset, rules, seats, visibility, join_secret, host_id, secret, created_at,
    version, head_hash, head_at, status, awaiting, deadline
) values (
    %(game_id)s, %(ruleset)s, %(rules)s, %(seats)s, %(visibility)s, %(join_secret)s, %(host_id)s, %(secret)s,
    %(created_at)s, %(version)s, %(head_hash)s, %(head_at)s, %(status)s, %(awaiting)s, %(deadline)s
)
on conflict do nothing
returning game_id

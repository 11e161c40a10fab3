-- Beside the copied events of one game: their games, seats, timers and submissions. Run as the owner, on a database at rest.
create temporary table copies as
select game_id, hash from events
where version = (select version from games where game_id = %(pattern)s) and game_id <> %(pattern)s;

insert into games (
    game_id, ruleset, rules, seats, visibility, join_secret, host_id, secret, created_at,
    version, head_hash, head_at, status, awaiting, deadline
)
select c.game_id, ruleset, rules, seats, visibility, join_secret, host_id, secret, created_at,
    version, c.hash, head_at, status, awaiting, deadline
from games g cross join copies c where g.game_id = %(pattern)s;

insert into seats (game_id, seat, player_id)
select c.game_id, seat, player_id from seats s cross join copies c where s.game_id = %(pattern)s;

insert into timers (game_id, kind, seat, due, version)
select c.game_id, kind, seat, due, version from timers t cross join copies c where t.game_id = %(pattern)s;

insert into submissions (
    game_id, sender_id, key, submission_id, content, received_at, status, first_version, version, hash, refusal
)
select c.game_id, sender_id, key, submission_id, content, received_at, status, first_version, s.version, e.hash, refusal
from submissions s cross join copies c
join events e on e.game_id = c.game_id and e.version = s.version
where s.game_id = %(pattern)s;

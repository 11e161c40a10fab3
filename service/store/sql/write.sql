-- Write what was decided: events, heads with their summaries, outcomes, seats, timers. All of it, or an error:
-- a head that moved or a submission that is settled already makes the statement itself raise.
with moved as (
    update games g
    set version = h.version, head_hash = decode(h.head_hash, 'hex'), head_at = h.head_at,
        status = h.status, awaiting = h.awaiting, deadline = h.deadline
    from json_to_recordset(%(heads)s::json) as h (
        game_id uuid, expected integer, version integer, head_hash text, head_at timestamptz,
        status text, awaiting smallint[], deadline timestamptz
    )
    where g.game_id = h.game_id and g.version = h.expected
    returning 1
),
written as (
    insert into events (game_id, version, public, secret, prev_hash, hash)
    select game_id, version, public, secret, decode(prev_hash, 'hex'), decode(hash, 'hex')
    from json_to_recordset(%(events)s::json) as e (
        game_id uuid, version integer, public text, secret text, prev_hash text, hash text
    )
),
settled as (
    update submissions s
    set status = o.status, first_version = o.first_version, version = o.version,
        hash = decode(o.hash, 'hex'), refusal = o.refusal
    from json_to_recordset(%(outcomes)s::json) as o (
        game_id uuid, submission_id uuid, status text, first_version integer, version integer,
        hash text, refusal text
    )
    where s.game_id = o.game_id and s.submission_id = o.submission_id and s.status = 'PENDING'
    returning 1
),
seated as (
    update seats s set player_id = p.player_id
    from json_to_recordset(%(seats)s::json) as p (game_id uuid, seat smallint, player_id uuid)
    where s.game_id = p.game_id and s.seat = p.seat
),
stopped as (
    delete from timers t
    using json_to_recordset(%(stopped)s::json) as x (game_id uuid, kind text, seat smallint)
    where t.game_id = x.game_id and t.kind = x.kind and t.seat = x.seat
),
set_timers as (
    insert into timers (game_id, kind, seat, due, version)
    select game_id, kind, seat, due, version
    from json_to_recordset(%(timers)s::json) as x (
        game_id uuid, kind text, seat smallint, due timestamptz, version integer
    )
    on conflict (game_id, kind, seat) do update
    set due = excluded.due, version = excluded.version, fence = null, leased_until = null
)
select
    raise_unless((select count(*) from moved) = %(heads_count)s, 'a head moved under its lock'),
    raise_unless((select count(*) from settled) = %(outcomes_count)s, 'a submission was settled twice')

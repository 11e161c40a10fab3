-- Receive, settle and write in one statement what was decided on heads held in memory, game by game: a game takes part
-- if its head is still that one, nobody holds it, nothing of it is pending or known under these keys, and the time
-- proposed for it is right: about now, and before any at which the clock is to act on it. The transaction takes its id
-- before the time is read (the lapse's fence rests on that order). Gives the games that took part; to the others
-- nothing has happened. Only `write` changes who sits where, and takes timers away.
-- `(id in (...)) is true` has ids looked up in a table of them: as a join, each would be compared with each.
with xid as materialized (
    select pg_current_xact_id() as id
),
stamp as materialized (
    select slowlight_now() as now from xid where id is not null
),
outcomes as materialized (
    select * from json_to_recordset(%(outcomes)s::json) as o (
        game_id uuid, sender_id uuid, key text, submission_id uuid, content text, received_at timestamptz,
        status text, first_version integer, version integer, hash text, refusal text
    )
),
known as materialized (
    select o.game_id from outcomes o
    join submissions s on s.game_id = o.game_id and s.sender_id = o.sender_id and s.key = o.key
),
held as materialized (
    select h.*
    from json_to_recordset(%(heads)s::json) as h (
        game_id uuid, expected integer, version integer, head_hash text, head_at timestamptz,
        status text, awaiting smallint[], deadline timestamptz, proposed timestamptz
    ) join games g on g.game_id = h.game_id cross join stamp
    where g.version = h.expected and g.quarantined_at is null
        and h.proposed between stamp.now - interval '1 second' and stamp.now + interval '1 second'
        and not exists (
            select from timers t
            where t.game_id = g.game_id and t.kind in ('lapse', 'expire') and t.due <= greatest(stamp.now, h.proposed)
        )
        and not exists (select from submissions s where s.game_id = g.game_id and s.status = 'PENDING')
        and g.game_id not in (select game_id from known)
    order by g.game_id
    for update of g skip locked
),
moved as (
    update games g
    set version = h.version, head_hash = decode(h.head_hash, 'hex'), head_at = h.head_at,
        status = h.status, awaiting = h.awaiting, deadline = h.deadline
    from held h
    where g.game_id = h.game_id and g.version = h.expected and h.version > h.expected
),
written as (
    insert into events (game_id, version, public, secret, prev_hash, hash)
    select game_id, version, public, secret, decode(prev_hash, 'hex'), decode(hash, 'hex')
    from json_to_recordset(%(events)s::json) as e (
        game_id uuid, version integer, public text, secret text, prev_hash text, hash text
    ) where (game_id in (select game_id from held)) is true
),
settled as (
    insert into submissions (
        game_id, sender_id, key, submission_id, content, received_at, status, first_version, version, hash, refusal
    )
    select game_id, sender_id, key, submission_id, content, received_at, status, first_version, version,
        decode(hash, 'hex'), refusal
    from outcomes where (game_id in (select game_id from held)) is true
),
set_timers as (
    insert into timers (game_id, kind, seat, due, version)
    select game_id, kind, seat, due, version
    from json_to_recordset(%(timers)s::json) as x (
        game_id uuid, kind text, seat smallint, due timestamptz, version integer
    ) where (game_id in (select game_id from held)) is true
    on conflict (game_id, kind, seat) do update
    set due = excluded.due, version = excluded.version, fence = null, leased_until = null
)
select stamp.now, held.game_id from stamp left join held on true

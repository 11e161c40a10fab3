-- Receive submissions, stamped after this transaction has taken its id (the lapse's fence rests on that order),
-- up to 16 pending ones a sender and game. A known key is not received again; `known` finds it. What arrives together
-- is stamped in the order in which it came, a microsecond apart.
with xid as materialized (
    select pg_current_xact_id() as id
),
stamp as materialized (
    select slowlight_now() as received_at from xid where id is not null
),
fresh as materialized (
    select i.*, row_number() over (partition by i.game_id, i.sender_id order by i.place) as nth
    from json_to_recordset(%(incoming)s::json) as i (
        place integer, game_id uuid, sender_id uuid, key text, submission_id uuid, content text
    )
    where not exists (
        select from submissions s where s.game_id = i.game_id and s.sender_id = i.sender_id and s.key = i.key
    )
)
insert into submissions (game_id, sender_id, key, submission_id, content, received_at, status)
select f.game_id, f.sender_id, f.key, f.submission_id, f.content,
    stamp.received_at + f.place * interval '1 microsecond', 'PENDING'
from fresh f cross join stamp
where f.nth + (
    select count(*) from submissions s
    where s.game_id = f.game_id and s.sender_id = f.sender_id and s.status = 'PENDING'
) <= %(pending_max)s
on conflict do nothing
returning submission_id, received_at

-- The submissions that stand under these keys.
select s.game_id, s.sender_id, s.key, s.submission_id, s.content, s.received_at, s.status,
    s.first_version, s.version, s.hash, s.refusal
from json_to_recordset(%(keys)s::json) as k (game_id uuid, sender_id uuid, key text)
join submissions s on s.game_id = k.game_id and s.sender_id = k.sender_id and s.key = k.key

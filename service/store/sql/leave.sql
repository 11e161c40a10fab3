-- Receive what is asked for a player who is forgotten: to leave. Whoever runs this has changed something already, and
-- so has the id of its transaction before the time is read (the lapse's fence rests on that order).
insert into submissions (game_id, sender_id, key, submission_id, content, received_at, status)
select game_id, sender_id, submission_id::text, submission_id, content, slowlight_now(), 'PENDING'
from json_to_recordset(%(leaving)s::json) as l (game_id uuid, sender_id uuid, submission_id uuid, content text)

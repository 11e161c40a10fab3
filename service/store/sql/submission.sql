-- One submission by its id.
select game_id, sender_id, key, submission_id, content, received_at, status, first_version, version, hash, refusal
from submissions where game_id = %(game_id)s and submission_id = %(submission_id)s

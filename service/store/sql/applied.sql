-- What every applied submission of these games came to: when it was received, and the span and end of its decision.
select game_id, submission_id, received_at, first_version, version, hash
from submissions where game_id = any(%(games)s) and status = 'APPLIED'

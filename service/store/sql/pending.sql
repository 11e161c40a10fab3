-- The pending submissions of locked games in order of receipt, so many a game.
select game_id, sender_id, key, submission_id, content, received_at
from (
    select s.*, row_number() over (partition by game_id order by received_at, submission_id) as nth
    from submissions s
    where game_id = any(%(games)s) and status = 'PENDING'
) as queued
where nth <= %(taken_max)s
order by received_at, submission_id

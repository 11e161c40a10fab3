-- Receive the submission that opens a game, at the time read in this transaction.
insert into submissions (game_id, sender_id, key, submission_id, content, received_at, status)
values (%(game_id)s, %(sender_id)s, %(key)s, %(submission_id)s, %(content)s, %(received_at)s, 'PENDING')

-- What is signed of a submission for its sender: what it said, and the secret of its game.
select s.content, g.secret from submissions s join games g on g.game_id = s.game_id
where s.game_id = %(game_id)s and s.submission_id = %(submission_id)s and s.sender_id = %(sender_id)s

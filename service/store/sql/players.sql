-- Accounts by their ids.
select player_id as id, handle, joined_at from players where player_id = any(%(players)s)

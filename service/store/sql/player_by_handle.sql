-- An account by its handle, without regard to case.
select player_id as id, handle, joined_at from players where handle_key = lower(%(handle)s)

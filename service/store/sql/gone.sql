-- Forget that a player was forgotten.
delete from leaving where player_id = %(player_id)s

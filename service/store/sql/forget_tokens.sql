-- End all tokens of a player.
delete from tokens where player_id = %(player_id)s

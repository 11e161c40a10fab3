-- End a token of a player.
delete from tokens where player_id = %(player_id)s and token_id = %(token_id)s returning token_hash

-- Take an account away: its handle, its salt, and the key it was registered under.
delete from players where player_id = %(player_id)s returning player_id

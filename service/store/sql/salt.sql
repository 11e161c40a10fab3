-- The salt from which a player's game ids are made.
select salt from players where player_id = %(player_id)s

-- Hold a game, waiting for whoever holds it now.
select game_id from games where game_id = %(game_id)s for update

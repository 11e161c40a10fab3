-- Hold games, waiting for whoever holds them now, in one order everywhere.
select game_id from games where game_id = any(%(games)s) order by game_id for update

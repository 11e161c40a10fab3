-- How far the streams of games have come.
select game_id, version from games where game_id = any(%(games)s)

-- The timers of games.
select game_id, kind, seat, due, version from timers where game_id = any(%(games)s) order by game_id, kind, seat

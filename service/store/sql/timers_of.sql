-- The timers of a game.
select game_id, kind, seat, due, version from timers where game_id = %(game_id)s order by kind, seat

-- Stop every timer of a game.
delete from timers where game_id = %(game_id)s

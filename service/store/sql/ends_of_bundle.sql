-- The first and the last line of the bundle that a game was imported from, null for one that was played here.
select header, closing from games where game_id = %(game_id)s

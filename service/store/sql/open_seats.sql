-- The seats of a new game, with who sits on them from the start.
insert into seats (game_id, seat, player_id)
select %(game_id)s, place - 1, player_id from unnest(%(players)s::uuid[]) with ordinality as s (player_id, place)

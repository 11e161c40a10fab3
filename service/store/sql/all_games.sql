-- The ids of all games after one, in order of ids.
select game_id from games where game_id > %(after)s order by game_id limit %(most)s

-- The ids of the games of a title after one, in order of ids.
select game_id from games where ruleset = %(ruleset)s and game_id > %(after)s order by game_id limit %(most)s

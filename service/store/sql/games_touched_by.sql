-- The games that a player has to do with: sits in, hosts, or ever sent something to. Nobody is forgotten often enough
-- for an index by sender, which every submission would pay for.
select game_id from seats where player_id = %(player_id)s
union select game_id from games where host_id = %(player_id)s
union select game_id from submissions where sender_id = %(player_id)s

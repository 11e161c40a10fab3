-- The ids of games in which something has happened since a time, after one id, in order of ids; whether private too.
select game_id from games
where game_id > %(after)s and head_at >= %(since)s and (%(private)s or visibility <> 'PRIVATE')
order by game_id limit %(most)s

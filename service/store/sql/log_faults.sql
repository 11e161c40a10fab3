-- Entries of the log that the stream of their game does not bear out.
select l.game_id, l.version from log_entries l
left join events e on e.game_id = l.game_id and e.version = l.version
where e.hash is distinct from l.hash
order by l.place
limit %(most)s

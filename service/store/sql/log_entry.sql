-- The newest entry of a game, up to a version, among the first of the log.
select place, version, hash from log_entries
where game_id = %(game_id)s and version <= %(upto)s and place < %(size)s
order by version desc
limit 1

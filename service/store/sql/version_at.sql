-- How far a stream had come at a time; null before its first event.
select max(version) from events
where game_id = %(game_id)s and (public::json ->> 'at')::timestamptz <= %(time)s

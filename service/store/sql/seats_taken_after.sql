-- The seats that were taken after a version: whoever sits there now is not who sat there then.
select (public::json -> 'data' ->> 'seat')::integer from events
where game_id = %(game_id)s and version > %(after)s and (public::json ->> 'name') = 'game.seat_taken'

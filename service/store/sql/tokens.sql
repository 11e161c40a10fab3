-- The tokens of a player, oldest first.
select token_id as id, name, created_at, last_used_at from tokens
where player_id = %(player_id)s order by created_at, token_id

-- Give a player another token, up to so many.
insert into tokens (token_hash, token_id, player_id, name, created_at)
select %(token_hash)s, %(token_id)s, %(player_id)s, %(name)s, slowlight_now()
where (select count(*) from tokens where player_id = %(player_id)s) < %(most)s
returning token_id as id, name, created_at, last_used_at

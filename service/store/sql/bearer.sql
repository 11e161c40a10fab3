-- Whose token this is.
select p.player_id, p.handle, p.joined_at from tokens t join players p on p.player_id = t.player_id
where t.token_hash = %(token_hash)s

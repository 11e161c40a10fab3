-- An account made under this key within the last minutes whose one token was never used: its maker lost the answer.
-- The token is taken away for a new one.
delete from tokens t using players p
where p.handle_key = lower(%(handle)s) and p.register_key = %(register_key)s and p.handle = %(handle)s
    and p.joined_at > slowlight_now() - %(within)s
    and t.player_id = p.player_id and t.last_used_at is null
    and not exists (select from tokens u where u.player_id = p.player_id and u.last_used_at is not null)
returning p.player_id, p.handle, p.joined_at

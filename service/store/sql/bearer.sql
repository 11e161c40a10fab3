-- Whose token this is, and whether its use is to be noted: at most once an hour.
select p.player_id, p.handle, p.joined_at,
    t.last_used_at is null or t.last_used_at < slowlight_now() - interval '1 hour' as unnoted
from tokens t join players p on p.player_id = t.player_id
where t.token_hash = %(token_hash)s

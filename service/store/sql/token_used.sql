-- Note that a token is in use, at most once an hour.
update tokens set last_used_at = slowlight_now()
where token_hash = %(token_hash)s and (last_used_at is null or last_used_at < slowlight_now() - interval '1 hour')

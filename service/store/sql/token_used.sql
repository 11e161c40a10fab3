-- Note that a token is in use.
update tokens set last_used_at = slowlight_now() where token_hash = %(token_hash)s

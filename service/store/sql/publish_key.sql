-- Publish a public key, unless it is, with the word of the one before where there is one.
insert into signing_keys (public_key, published_at, endorsed_by, endorsement)
values (decode(%(key)s, 'hex'), coalesce(%(since)s, slowlight_now()), decode(%(by)s, 'hex'), decode(%(endorsement)s, 'hex'))
on conflict do nothing

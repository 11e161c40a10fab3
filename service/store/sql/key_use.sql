-- Whether a public key is published, and still in use.
select retired_at is null or retired_at > slowlight_now() from signing_keys where public_key = decode(%(key)s, 'hex')

-- Use a key no more from a time on: that asked for, unless it goes out of use before.
update signing_keys set retired_at = least(retired_at, slowlight_now() + %(after)s)
where encode(public_key, 'hex') = %(key)s
returning retired_at

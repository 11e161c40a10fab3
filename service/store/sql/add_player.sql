-- Make an account, unless the handle is taken.
insert into players (player_id, handle, handle_key, salt, register_key, joined_at)
values (%(player_id)s, %(handle)s, lower(%(handle)s), %(salt)s, %(register_key)s, slowlight_now())
on conflict (handle_key) do nothing
returning player_id, handle, joined_at

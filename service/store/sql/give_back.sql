-- Give the lease of a house bot back, unless its timer has changed since.
update timers set leased_until = null
where game_id = %(game_id)s and kind = 'bot' and seat = %(seat)s and version = %(version)s

-- Set a game aside, once: its clock stands still and its submissions are kept.
update games set quarantined_at = slowlight_now(), quarantine_cause = %(cause)s
where game_id = %(game_id)s and quarantined_at is null
returning game_id

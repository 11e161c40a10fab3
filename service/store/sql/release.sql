-- Let a quarantined game go on.
update games set quarantined_at = null, quarantine_cause = null
where game_id = %(game_id)s and quarantined_at is not null
returning game_id

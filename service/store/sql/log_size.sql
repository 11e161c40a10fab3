-- How many entries the log has.
select coalesce(max(place) + 1, 0) from log_entries

-- Seconds until the next timer is due; negative if one is overdue, null if there is none.
select extract(epoch from min(due) - slowlight_now())::float8 from timers

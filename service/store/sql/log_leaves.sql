-- Leaves of the log in order, from a place to before another.
select hash from log_nodes where level = 0 and place >= %(start)s and place < %(end)s order by place

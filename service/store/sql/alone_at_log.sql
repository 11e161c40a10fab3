-- Wait until nobody else adds to the log; it holds until the end of the transaction.
select pg_advisory_xact_lock(hashtextextended('slowlight/log', 0))

-- The time, after this transaction has taken its id.
with xid as materialized (select pg_current_xact_id() as id)
select slowlight_now() from xid where id is not null

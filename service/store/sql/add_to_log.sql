-- Add entries to the log, and the subtrees that come with them.
with added as (
    insert into log_entries (place, game_id, version, hash)
    select place, game_id, version, decode(hash, 'hex')
    from json_to_recordset(%(entries)s::json) as e (place bigint, game_id uuid, version integer, hash text)
)
insert into log_nodes (level, place, hash)
select level, place, decode(hash, 'hex')
from json_to_recordset(%(nodes)s::json) as n (level smallint, place bigint, hash text)

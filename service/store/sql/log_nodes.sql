-- Subtrees of the log.
select n.level, n.place, n.hash
from json_to_recordset(%(wanted)s::json) as w (level smallint, place bigint)
join log_nodes n on n.level = w.level and n.place = w.place

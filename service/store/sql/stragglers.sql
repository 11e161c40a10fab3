-- Games with a submission that has been pending for a while and that no quarantine holds.
select distinct s.game_id
from submissions s join games g on g.game_id = s.game_id
where s.status = 'PENDING' and s.received_at < (select slowlight_now()) - %(age)s and g.quarantined_at is null
limit %(most)s

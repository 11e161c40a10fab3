-- A checkpoint by its number, or the newest.
select number, size, made_at as at, statement as text, encode(public_key, 'hex') as key,
    encode(signature, 'hex') as signature
from checkpoints
where %(number)s::integer is null or number = %(number)s
order by number desc
limit 1

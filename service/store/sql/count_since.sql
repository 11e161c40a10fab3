-- How many games there are in which something has happened since a time; whether private too.
select count(*) from games where head_at >= %(since)s and (%(private)s or visibility <> 'PRIVATE')

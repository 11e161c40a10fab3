-- Keep a signed checkpoint.
insert into checkpoints (number, size, made_at, statement, public_key, signature)
values (%(number)s, %(size)s, %(made_at)s, %(statement)s, decode(%(key)s, 'hex'), decode(%(signature)s, 'hex'))

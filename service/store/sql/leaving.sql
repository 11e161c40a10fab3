-- Remember that a player was just forgotten.
insert into leaving (player_id, since) values (%(player_id)s, slowlight_now()) on conflict do nothing

revoke select on _yoyo_migration from slowlight_service;
drop table timers, submissions, events, seats, games, tokens, players;
drop function raise_unless(boolean, text);
drop function refuse_change();
drop function slowlight_now();
drop table clock;

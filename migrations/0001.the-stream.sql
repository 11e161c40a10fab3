-- The stream of every game, what was received for it, what is due, and who plays.
-- Every table of a game leads with game_id and is hash-partitioned by it: one game is one shard.

set local lock_timeout = '5s';
set local statement_timeout = '60s';

create table clock (
    only_row boolean primary key default true check (only_row),
    ahead interval not null default '0'
);
insert into clock default values;

-- The one clock: the database's own, plus an offset that tests set.
create function slowlight_now() returns timestamptz
language sql volatile
as 'select clock_timestamp() + ahead from clock';

create table players (
    player_id uuid primary key,
    handle text not null,
    handle_key text not null unique,
    salt bytea not null check (length(salt) = 16),
    register_key text,
    joined_at timestamptz not null
);

create table tokens (
    token_hash bytea primary key check (length(token_hash) = 32),
    token_id uuid not null unique,
    player_id uuid not null references players,
    name text not null,
    created_at timestamptz not null,
    last_used_at timestamptz
);
create index tokens_by_player on tokens (player_id, created_at);

-- No table of a game has checks: they would be made ready anew for each partition that a statement comes to, a fifth of
-- the time of writing a turn. What stands here is proven by its chain and its fold (`slowlight replay --verify`).

-- One row a game: what never changes, then the head of its stream, then a summary equal to the fold.
create table games (
    game_id uuid primary key,
    ruleset text not null,
    rules integer not null,
    seats smallint not null,
    visibility text not null,
    join_secret text,
    host_id uuid not null,
    secret bytea not null,
    created_at timestamptz not null,
    version integer not null,
    head_hash bytea not null,
    head_at timestamptz not null,
    status text not null,
    awaiting smallint[] not null,
    deadline timestamptz,
    quarantined_at timestamptz,
    quarantine_cause text
) partition by hash (game_id);
create index games_newest on games (created_at desc, game_id desc) where visibility = 'PUBLIC';
create index games_by_host on games (host_id, created_at desc, game_id desc);
create index games_quarantined on games (quarantined_at) where quarantined_at is not null;

-- One player, one seat a game; looked at when a statement is done, so that in one flush players may change seats.
create table seats (
    game_id uuid not null,
    seat smallint not null,
    player_id uuid,
    primary key (game_id, seat),
    constraint seats_by_game_and_player unique (game_id, player_id) deferrable
) partition by hash (game_id);
create index seats_by_player on seats (player_id, game_id) where player_id is not null;

create table events (
    game_id uuid not null,
    version integer not null,
    public text not null,
    secret text,
    prev_hash bytea not null,
    hash bytea not null,
    primary key (game_id, version)
) partition by hash (game_id);

-- A submission is received once under its sender's key and settled once.
create table submissions (
    game_id uuid not null,
    sender_id uuid not null,
    key text not null,
    submission_id uuid not null,
    content text not null,
    received_at timestamptz not null,
    status text not null,
    first_version integer,
    version integer,
    hash bytea,
    refusal text,
    primary key (game_id, sender_id, key)
) partition by hash (game_id);
-- By id alone: beginning with the game, it would be taken for the primary key where there are no statistics yet.
create index submissions_by_id on submissions (submission_id);
create index submissions_pending on submissions (game_id, received_at, submission_id) where status = 'PENDING';

-- What the clock will do: 'expire' an open game, 'lapse' those awaited at a deadline, move a house 'bot'.
-- `fence` is the first transaction not yet begun when the timer was first seen due.
create table timers (
    game_id uuid not null,
    kind text not null,
    seat smallint not null,
    due timestamptz not null,
    version integer not null,
    fence xid8,
    leased_until timestamptz,
    primary key (game_id, kind, seat)
) partition by hash (game_id);
create index timers_due on timers (due);

create function refuse_change() returns trigger
language plpgsql
as '
begin
    raise exception ''% on %: a stream is written once'', tg_op, tg_table_name
        using errcode = ''restrict_violation'';
end';

create function raise_unless(held boolean, complaint text) returns boolean
language plpgsql immutable
as '
begin
    if held is not true then
        raise exception ''%'', complaint using errcode = ''assert_failure'';
    end if;
    return true;
end';

create trigger events_are_written_once before update or delete on events
for each row execute function refuse_change();
create trigger events_are_not_truncated before truncate on events
for each statement execute function refuse_change();

do '
declare
    parent text;
    part text;
begin
    foreach parent in array array[''games'', ''seats'', ''events'', ''submissions'', ''timers''] loop
        for n in 0 .. 3 loop
            part := parent || ''_'' || lpad(n::text, 2, ''0'');
            execute format(
                ''create table %I partition of %I for values with (modulus 4, remainder %s)'', part, parent, n
            );
            if parent = ''events'' then
                execute format(
                    ''create trigger events_are_not_truncated before truncate on %I
                      for each statement execute function refuse_change()'', part
                );
            elsif parent in (''games'', ''submissions'', ''timers'') then
                execute format(''alter table %I set (fillfactor = 70)'', part);
            end if;
        end loop;
    end loop;
end';

do '
begin
    if not exists (select from pg_roles where rolname = ''slowlight_service'') then
        create role slowlight_service nologin;
    end if;
end';

-- The service owns nothing and may do no more than its statements need.
grant select on clock to slowlight_service;
grant select on _yoyo_migration to slowlight_service;
grant select, insert on players to slowlight_service;
grant update (register_key) on players to slowlight_service;
grant select, insert, delete on tokens to slowlight_service;
grant update (last_used_at) on tokens to slowlight_service;
grant select, insert on games to slowlight_service;
grant update (
    version, head_hash, head_at, status, awaiting, deadline, quarantined_at, quarantine_cause
) on games to slowlight_service;
grant select, insert, delete on seats to slowlight_service;
grant update (player_id) on seats to slowlight_service;
grant select, insert on events to slowlight_service;
grant select, insert on submissions to slowlight_service;
grant update (status, first_version, version, hash, refusal) on submissions to slowlight_service;
grant select, insert, delete on timers to slowlight_service;
grant update (due, version, fence, leased_until) on timers to slowlight_service;
revoke execute on function refuse_change() from public;

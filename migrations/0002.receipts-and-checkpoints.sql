-- What binds us: the keys we sign with, and the log of the heads of all games with its signed checkpoints.
set local lock_timeout = '5s';
set local statement_timeout = '1min';

-- The public keys; the private ones are never here. `endorsement` is the word of the key before that this one follows.
create table signing_keys (
    public_key bytea primary key check (length(public_key) = 32),
    published_at timestamptz not null,
    retired_at timestamptz,
    endorsed_by bytea references signing_keys,
    endorsement bytea check (length(endorsement) = 64),
    check ((endorsed_by is null) = (endorsement is null))
);

-- The log: at which place it says that a game had come to which version, and by which hash.
create table log_entries (
    place bigint primary key check (place >= 0),
    game_id uuid not null,
    version integer not null check (version > 0),
    hash bytea not null check (length(hash) = 32),
    unique (game_id, version)
);

-- The complete subtrees over the log, leaves included: none ever changes, and every proof is made of a few.
create table log_nodes (
    level smallint not null check (level >= 0),
    place bigint not null check (place >= 0),
    hash bytea not null check (length(hash) = 32),
    primary key (level, place)
);

-- What was signed of the log: its first `size` entries are those of the root in `statement`.
create table checkpoints (
    number integer primary key check (number > 0),
    size bigint not null check (size >= 0),
    made_at timestamptz not null,
    statement text not null,
    public_key bytea not null references signing_keys,
    signature bytea not null check (length(signature) = 64)
);

do '
declare
    written_once text;
begin
    foreach written_once in array array[''log_entries'', ''log_nodes'', ''checkpoints''] loop
        execute format(
            ''create trigger written_once before update or delete on %I
              for each row execute function refuse_change()'', written_once
        );
        execute format(
            ''create trigger not_truncated before truncate on %I
              for each statement execute function refuse_change()'', written_once
        );
        execute format(''grant select, insert on %I to slowlight_service'', written_once);
    end loop;
end';

grant select, insert on signing_keys to slowlight_service;
grant update (retired_at) on signing_keys to slowlight_service;

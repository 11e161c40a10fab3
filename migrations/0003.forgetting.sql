-- What it takes to forget a player.
-- depends: 0001.the-stream

-- Who was forgotten a moment ago. Some process may believe their token for seconds yet, so they are looked for again.
create table leaving (
    player_id uuid primary key,
    since timestamptz not null
);

grant select, insert, delete on leaving to slowlight_service;
grant delete on players to slowlight_service;
grant update (host_id) on games to slowlight_service;
grant update (sender_id, key) on submissions to slowlight_service;

-- What the migrations make, for people to read: written by `pytest tests/service/test_migrations.py --golden`.
-- Of the 4 partitions of each table only the first is shown; the others are like it.

CREATE FUNCTION public.raise_unless(held boolean, complaint text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
    if held is not true then
        raise exception '%', complaint using errcode = 'assert_failure';
    end if;
    return true;
end$$;

CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    raise exception '% on %: a stream is written once', tg_op, tg_table_name
        using errcode = 'restrict_violation';
end$$;

CREATE FUNCTION public.slowlight_now() RETURNS timestamp with time zone
    LANGUAGE sql
    AS $$select clock_timestamp() + ahead from clock$$;

CREATE TABLE public.checkpoints (
    number integer NOT NULL,
    size bigint NOT NULL,
    made_at timestamp with time zone NOT NULL,
    statement text NOT NULL,
    public_key bytea NOT NULL,
    signature bytea NOT NULL,
    CONSTRAINT checkpoints_number_check CHECK ((number > 0)),
    CONSTRAINT checkpoints_signature_check CHECK ((length(signature) = 64)),
    CONSTRAINT checkpoints_size_check CHECK ((size >= 0))
);

CREATE TABLE public.clock (
    only_row boolean DEFAULT true NOT NULL,
    ahead interval DEFAULT '00:00:00'::interval NOT NULL,
    CONSTRAINT clock_only_row_check CHECK (only_row)
);

CREATE TABLE public.events (
    game_id uuid NOT NULL,
    version integer NOT NULL,
    public text NOT NULL,
    secret text,
    prev_hash bytea NOT NULL,
    hash bytea NOT NULL
)
PARTITION BY HASH (game_id);

CREATE TABLE public.events_00 (
    game_id uuid CONSTRAINT events_game_id_not_null NOT NULL,
    version integer CONSTRAINT events_version_not_null NOT NULL,
    public text CONSTRAINT events_public_not_null NOT NULL,
    secret text,
    prev_hash bytea CONSTRAINT events_prev_hash_not_null NOT NULL,
    hash bytea CONSTRAINT events_hash_not_null NOT NULL
);

CREATE TABLE public.games (
    game_id uuid NOT NULL,
    ruleset text NOT NULL,
    rules integer NOT NULL,
    seats smallint NOT NULL,
    visibility text NOT NULL,
    join_secret text,
    host_id uuid NOT NULL,
    secret bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    version integer NOT NULL,
    head_hash bytea NOT NULL,
    head_at timestamp with time zone NOT NULL,
    status text NOT NULL,
    awaiting smallint[] NOT NULL,
    deadline timestamp with time zone,
    quarantined_at timestamp with time zone,
    quarantine_cause text,
    header text,
    closing text
)
PARTITION BY HASH (game_id);

CREATE TABLE public.games_00 (
    game_id uuid CONSTRAINT games_game_id_not_null NOT NULL,
    ruleset text CONSTRAINT games_ruleset_not_null NOT NULL,
    rules integer CONSTRAINT games_rules_not_null NOT NULL,
    seats smallint CONSTRAINT games_seats_not_null NOT NULL,
    visibility text CONSTRAINT games_visibility_not_null NOT NULL,
    join_secret text,
    host_id uuid CONSTRAINT games_host_id_not_null NOT NULL,
    secret bytea CONSTRAINT games_secret_not_null NOT NULL,
    created_at timestamp with time zone CONSTRAINT games_created_at_not_null NOT NULL,
    version integer CONSTRAINT games_version_not_null NOT NULL,
    head_hash bytea CONSTRAINT games_head_hash_not_null NOT NULL,
    head_at timestamp with time zone CONSTRAINT games_head_at_not_null NOT NULL,
    status text CONSTRAINT games_status_not_null NOT NULL,
    awaiting smallint[] CONSTRAINT games_awaiting_not_null NOT NULL,
    deadline timestamp with time zone,
    quarantined_at timestamp with time zone,
    quarantine_cause text,
    header text,
    closing text
)
WITH (fillfactor='70');

CREATE TABLE public.leaving (
    player_id uuid NOT NULL,
    since timestamp with time zone NOT NULL
);

CREATE TABLE public.log_entries (
    place bigint NOT NULL,
    game_id uuid NOT NULL,
    version integer NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT log_entries_hash_check CHECK ((length(hash) = 32)),
    CONSTRAINT log_entries_place_check CHECK ((place >= 0)),
    CONSTRAINT log_entries_version_check CHECK ((version > 0))
);

CREATE TABLE public.log_nodes (
    level smallint NOT NULL,
    place bigint NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT log_nodes_hash_check CHECK ((length(hash) = 32)),
    CONSTRAINT log_nodes_level_check CHECK ((level >= 0)),
    CONSTRAINT log_nodes_place_check CHECK ((place >= 0))
);

CREATE TABLE public.players (
    player_id uuid NOT NULL,
    handle text NOT NULL,
    handle_key text NOT NULL,
    salt bytea NOT NULL,
    register_key text,
    joined_at timestamp with time zone NOT NULL,
    CONSTRAINT players_salt_check CHECK ((length(salt) = 16))
);

CREATE TABLE public.seats (
    game_id uuid NOT NULL,
    seat smallint NOT NULL,
    player_id uuid
)
PARTITION BY HASH (game_id);

CREATE TABLE public.seats_00 (
    game_id uuid CONSTRAINT seats_game_id_not_null NOT NULL,
    seat smallint CONSTRAINT seats_seat_not_null NOT NULL,
    player_id uuid
);

CREATE TABLE public.signing_keys (
    public_key bytea NOT NULL,
    published_at timestamp with time zone NOT NULL,
    retired_at timestamp with time zone,
    endorsed_by bytea,
    endorsement bytea,
    CONSTRAINT signing_keys_check CHECK (((endorsed_by IS NULL) = (endorsement IS NULL))),
    CONSTRAINT signing_keys_endorsement_check CHECK ((length(endorsement) = 64)),
    CONSTRAINT signing_keys_public_key_check CHECK ((length(public_key) = 32))
);

CREATE TABLE public.submissions (
    game_id uuid NOT NULL,
    sender_id uuid NOT NULL,
    key text NOT NULL,
    submission_id uuid NOT NULL,
    content text NOT NULL,
    received_at timestamp with time zone NOT NULL,
    status text NOT NULL,
    first_version integer,
    version integer,
    hash bytea,
    refusal text
)
PARTITION BY HASH (game_id);

CREATE TABLE public.submissions_00 (
    game_id uuid CONSTRAINT submissions_game_id_not_null NOT NULL,
    sender_id uuid CONSTRAINT submissions_sender_id_not_null NOT NULL,
    key text CONSTRAINT submissions_key_not_null NOT NULL,
    submission_id uuid CONSTRAINT submissions_submission_id_not_null NOT NULL,
    content text CONSTRAINT submissions_content_not_null NOT NULL,
    received_at timestamp with time zone CONSTRAINT submissions_received_at_not_null NOT NULL,
    status text CONSTRAINT submissions_status_not_null NOT NULL,
    first_version integer,
    version integer,
    hash bytea,
    refusal text
)
WITH (fillfactor='70');

CREATE TABLE public.timers (
    game_id uuid NOT NULL,
    kind text NOT NULL,
    seat smallint NOT NULL,
    due timestamp with time zone NOT NULL,
    version integer NOT NULL,
    fence xid8,
    leased_until timestamp with time zone
)
PARTITION BY HASH (game_id);

CREATE TABLE public.timers_00 (
    game_id uuid CONSTRAINT timers_game_id_not_null NOT NULL,
    kind text CONSTRAINT timers_kind_not_null NOT NULL,
    seat smallint CONSTRAINT timers_seat_not_null NOT NULL,
    due timestamp with time zone CONSTRAINT timers_due_not_null NOT NULL,
    version integer CONSTRAINT timers_version_not_null NOT NULL,
    fence xid8,
    leased_until timestamp with time zone
)
WITH (fillfactor='70');

CREATE TABLE public.tokens (
    token_hash bytea NOT NULL,
    token_id uuid NOT NULL,
    player_id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    CONSTRAINT tokens_token_hash_check CHECK ((length(token_hash) = 32))
);

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_00 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY public.games ATTACH PARTITION public.games_00 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY public.seats ATTACH PARTITION public.seats_00 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY public.submissions ATTACH PARTITION public.submissions_00 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY public.timers ATTACH PARTITION public.timers_00 FOR VALUES WITH (modulus 4, remainder 0);

ALTER TABLE ONLY public.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.clock
    ADD CONSTRAINT clock_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (game_id, version);

ALTER TABLE ONLY public.events_00
    ADD CONSTRAINT events_00_pkey PRIMARY KEY (game_id, version);

ALTER TABLE ONLY public.games
    ADD CONSTRAINT games_pkey PRIMARY KEY (game_id);

ALTER TABLE ONLY public.games_00
    ADD CONSTRAINT games_00_pkey PRIMARY KEY (game_id);

ALTER TABLE ONLY public.leaving
    ADD CONSTRAINT leaving_pkey PRIMARY KEY (player_id);

ALTER TABLE ONLY public.log_entries
    ADD CONSTRAINT log_entries_game_id_version_key UNIQUE (game_id, version);

ALTER TABLE ONLY public.log_entries
    ADD CONSTRAINT log_entries_pkey PRIMARY KEY (place);

ALTER TABLE ONLY public.log_nodes
    ADD CONSTRAINT log_nodes_pkey PRIMARY KEY (level, place);

ALTER TABLE ONLY public.players
    ADD CONSTRAINT players_handle_key_key UNIQUE (handle_key);

ALTER TABLE ONLY public.players
    ADD CONSTRAINT players_pkey PRIMARY KEY (player_id);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_by_game_and_player UNIQUE (game_id, player_id) DEFERRABLE;

ALTER TABLE ONLY public.seats_00
    ADD CONSTRAINT seats_00_game_id_player_id_key UNIQUE (game_id, player_id) DEFERRABLE;

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_pkey PRIMARY KEY (game_id, seat);

ALTER TABLE ONLY public.seats_00
    ADD CONSTRAINT seats_00_pkey PRIMARY KEY (game_id, seat);

ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (public_key);

ALTER TABLE ONLY public.submissions
    ADD CONSTRAINT submissions_pkey PRIMARY KEY (game_id, sender_id, key);

ALTER TABLE ONLY public.submissions_00
    ADD CONSTRAINT submissions_00_pkey PRIMARY KEY (game_id, sender_id, key);

ALTER TABLE ONLY public.timers
    ADD CONSTRAINT timers_pkey PRIMARY KEY (game_id, kind, seat);

ALTER TABLE ONLY public.timers_00
    ADD CONSTRAINT timers_00_pkey PRIMARY KEY (game_id, kind, seat);

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_token_id_key UNIQUE (token_id);

CREATE INDEX games_newest ON ONLY public.games USING btree (created_at DESC, game_id DESC) WHERE (visibility = 'PUBLIC'::text);

CREATE INDEX games_00_created_at_game_id_idx ON public.games_00 USING btree (created_at DESC, game_id DESC) WHERE (visibility = 'PUBLIC'::text);

CREATE INDEX games_by_host ON ONLY public.games USING btree (host_id, created_at DESC, game_id DESC);

CREATE INDEX games_00_host_id_created_at_game_id_idx ON public.games_00 USING btree (host_id, created_at DESC, game_id DESC);

CREATE INDEX games_quarantined ON ONLY public.games USING btree (quarantined_at) WHERE (quarantined_at IS NOT NULL);

CREATE INDEX games_00_quarantined_at_idx ON public.games_00 USING btree (quarantined_at) WHERE (quarantined_at IS NOT NULL);

CREATE INDEX seats_by_player ON ONLY public.seats USING btree (player_id, game_id) WHERE (player_id IS NOT NULL);

CREATE INDEX seats_00_player_id_game_id_idx ON public.seats_00 USING btree (player_id, game_id) WHERE (player_id IS NOT NULL);

CREATE INDEX submissions_pending ON ONLY public.submissions USING btree (game_id, received_at, submission_id) WHERE (status = 'PENDING'::text);

CREATE INDEX submissions_00_game_id_received_at_submission_id_idx ON public.submissions_00 USING btree (game_id, received_at, submission_id) WHERE (status = 'PENDING'::text);

CREATE INDEX submissions_by_id ON ONLY public.submissions USING btree (submission_id);

CREATE INDEX submissions_00_submission_id_idx ON public.submissions_00 USING btree (submission_id);

CREATE INDEX timers_due ON ONLY public.timers USING btree (due);

CREATE INDEX timers_00_due_idx ON public.timers_00 USING btree (due);

CREATE INDEX tokens_by_player ON public.tokens USING btree (player_id, created_at);

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_00_pkey;

ALTER INDEX public.games_newest ATTACH PARTITION public.games_00_created_at_game_id_idx;

ALTER INDEX public.games_by_host ATTACH PARTITION public.games_00_host_id_created_at_game_id_idx;

ALTER INDEX public.games_pkey ATTACH PARTITION public.games_00_pkey;

ALTER INDEX public.games_quarantined ATTACH PARTITION public.games_00_quarantined_at_idx;

ALTER INDEX public.seats_by_game_and_player ATTACH PARTITION public.seats_00_game_id_player_id_key;

ALTER INDEX public.seats_pkey ATTACH PARTITION public.seats_00_pkey;

ALTER INDEX public.seats_by_player ATTACH PARTITION public.seats_00_player_id_game_id_idx;

ALTER INDEX public.submissions_pending ATTACH PARTITION public.submissions_00_game_id_received_at_submission_id_idx;

ALTER INDEX public.submissions_pkey ATTACH PARTITION public.submissions_00_pkey;

ALTER INDEX public.submissions_by_id ATTACH PARTITION public.submissions_00_submission_id_idx;

ALTER INDEX public.timers_due ATTACH PARTITION public.timers_00_due_idx;

ALTER INDEX public.timers_pkey ATTACH PARTITION public.timers_00_pkey;

CREATE TRIGGER events_are_not_truncated BEFORE TRUNCATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER events_are_not_truncated BEFORE TRUNCATE ON public.events_00 FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER events_are_written_once BEFORE DELETE OR UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER not_truncated BEFORE TRUNCATE ON public.checkpoints FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER not_truncated BEFORE TRUNCATE ON public.log_entries FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER not_truncated BEFORE TRUNCATE ON public.log_nodes FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER written_once BEFORE DELETE OR UPDATE ON public.checkpoints FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER written_once BEFORE DELETE OR UPDATE ON public.log_entries FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER written_once BEFORE DELETE OR UPDATE ON public.log_nodes FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

ALTER TABLE ONLY public.checkpoints
    ADD CONSTRAINT checkpoints_public_key_fkey FOREIGN KEY (public_key) REFERENCES public.signing_keys(public_key);

ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_endorsed_by_fkey FOREIGN KEY (endorsed_by) REFERENCES public.signing_keys(public_key);

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_player_id_fkey FOREIGN KEY (player_id) REFERENCES public.players(player_id);

REVOKE ALL ON FUNCTION public.refuse_change() FROM PUBLIC;

GRANT SELECT,INSERT ON TABLE public.checkpoints TO slowlight_service;

GRANT SELECT ON TABLE public.clock TO slowlight_service;

GRANT SELECT,INSERT ON TABLE public.events TO slowlight_service;

GRANT SELECT,INSERT ON TABLE public.games TO slowlight_service;

GRANT UPDATE(host_id) ON TABLE public.games TO slowlight_service;

GRANT UPDATE(version) ON TABLE public.games TO slowlight_service;

GRANT UPDATE(head_hash) ON TABLE public.games TO slowlight_service;

GRANT UPDATE(head_at) ON TABLE public.games TO slowlight_service;

GRANT UPDATE(status) ON TABLE public.games TO slowlight_service;

GRANT UPDATE(awaiting) ON TABLE public.games TO slowlight_service;

GRANT UPDATE(deadline) ON TABLE public.games TO slowlight_service;

GRANT UPDATE(quarantined_at) ON TABLE public.games TO slowlight_service;

GRANT UPDATE(quarantine_cause) ON TABLE public.games TO slowlight_service;

GRANT SELECT,INSERT,DELETE ON TABLE public.leaving TO slowlight_service;

GRANT SELECT,INSERT ON TABLE public.log_entries TO slowlight_service;

GRANT SELECT,INSERT ON TABLE public.log_nodes TO slowlight_service;

GRANT SELECT,INSERT,DELETE ON TABLE public.players TO slowlight_service;

GRANT UPDATE(register_key) ON TABLE public.players TO slowlight_service;

GRANT SELECT,INSERT,DELETE ON TABLE public.seats TO slowlight_service;

GRANT UPDATE(player_id) ON TABLE public.seats TO slowlight_service;

GRANT SELECT,INSERT ON TABLE public.signing_keys TO slowlight_service;

GRANT UPDATE(retired_at) ON TABLE public.signing_keys TO slowlight_service;

GRANT SELECT,INSERT ON TABLE public.submissions TO slowlight_service;

GRANT UPDATE(sender_id) ON TABLE public.submissions TO slowlight_service;

GRANT UPDATE(key) ON TABLE public.submissions TO slowlight_service;

GRANT UPDATE(status) ON TABLE public.submissions TO slowlight_service;

GRANT UPDATE(first_version) ON TABLE public.submissions TO slowlight_service;

GRANT UPDATE(version) ON TABLE public.submissions TO slowlight_service;

GRANT UPDATE(hash) ON TABLE public.submissions TO slowlight_service;

GRANT UPDATE(refusal) ON TABLE public.submissions TO slowlight_service;

GRANT SELECT,INSERT,DELETE ON TABLE public.timers TO slowlight_service;

GRANT UPDATE(due) ON TABLE public.timers TO slowlight_service;

GRANT UPDATE(version) ON TABLE public.timers TO slowlight_service;

GRANT UPDATE(fence) ON TABLE public.timers TO slowlight_service;

GRANT UPDATE(leased_until) ON TABLE public.timers TO slowlight_service;

GRANT SELECT,INSERT,DELETE ON TABLE public.tokens TO slowlight_service;

GRANT UPDATE(last_used_at) ON TABLE public.tokens TO slowlight_service;


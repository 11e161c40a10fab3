"""The composition root: the command `slowlight`, which puts schema, service and domain together."""

import asyncio
import gc
import json
import re
import secrets
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from errno import EADDRINUSE
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import structlog
import typer
import uvicorn
import uvloop
from psycopg import OperationalError
from pydantic import ValidationError
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

from domain import bundle as bundles
from domain.catalogue import CATALOGUE
from schema.app import make_app
from schema.connections import Connections, Terms
from schema.ids import game_id, game_of
from schema.limits import BODY_BYTES_MAX
from schema.wire import HttpProtocol
from service import (
    accounts,
    auditor,
    checkpoints,
    exporting,
    forgetting,
    importing,
    newcomer,
    operating,
    replaying,
    store,
)
from service import demo as demo_game
from service import impact as impacts
from service import keyring as keyrings
from service.client import Failed
from service.hints import Hint, Hints
from service.keyring import Keyring
from service.knowing import Document, Known
from service.logs import log_to_stderr
from service.migrating import migrate as migrate_database
from service.migrating import unapplied
from service.process import Role, running
from service.published import KeyList
from service.seen import Forgotten, Refusal, Visibility
from service.servers import Servers, Unfit, joined
from service.settings import Settings
from service.signing import SigningKey, Unproven, keys_in

SHUTDOWN_SECONDS = 10

GARBAGE_MAX = 20_000
"""How many objects may have been made and not freed before the collector looks among them for circles."""

log = structlog.get_logger()

cli = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    help="Slowlight hosts board games played at letter pace, over days and months, through a GraphQL API.",
)

keys_cli = typer.Typer(no_args_is_help=True, help="The keys that receipts and checkpoints are signed with.")
cli.add_typer(keys_cli, name="keys")

Data = Annotated[
    Path | None,
    typer.Option(help="Folder of the embedded servers; a running service's are joined.", show_default=".slowlight"),
]
GameArgument = Annotated[str, typer.Argument(help="A game's id, as the API gives it or as a UUID.")]


@cli.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on, 0 for any.", show_default="8000")] = None,
    data: Data = None,
    *,
    demo: Annotated[bool, typer.Option("--demo", help="Seat a newcomer at a table of house bots.")] = False,
    only: Annotated[Role | None, typer.Option(help="Do only a part: take turns, or mind timers and bots.")] = None,
) -> None:
    """Run the service until Ctrl-C or SIGTERM; what has arrived by then is answered."""
    roles = frozenset(Role) if only is None else frozenset({only})
    if demo and Role.API not in roles:
        raise typer.BadParameter("a newcomer needs the API, so --demo does not go with --only worker")
    settings = _settings(host=host, port=port, data=data)
    welcome = settings.data / "newcomer.json" if demo else None
    with _bound(settings) if Role.API in roles else nullcontext() as door, _servers(settings) as servers:
        uvloop.run(_serve(settings, servers, roles, door, welcome))


@cli.command()
def migrate(
    data: Data = None,
    owner_url: Annotated[
        str | None, typer.Option(help="The database as its owner, if not SLOWLIGHT_DATABASE_URL.")
    ] = None,
) -> None:
    """Bring the database to the newest schema, as the role that owns its tables."""
    with _servers(_settings(data=data), as_it_is=True) as servers:
        applied = migrate_database(owner_url or servers.database_url)
    typer.echo("\n".join(applied) if applied else "The schema is the newest already.")


@cli.command()
def demo(data: Data = None) -> None:
    """Play a whole four-player game of Gravwell over the public API, and fold its history again."""
    settings = _settings(host="127.0.0.1", port=0, data=data)
    with _bound(settings) as door, _servers(settings) as servers:
        try:
            uvloop.run(_demo(settings, servers, door))
        except (demo_game.DemoFailed, Failed) as failed:
            raise _Exit(f"The demo failed: {failed}") from None


@cli.command()
def replay(
    game: Annotated[str | None, typer.Argument(help="A game's id; or --all.")] = None,
    data: Data = None,
    *,
    all_games: Annotated[bool, typer.Option("--all", help="Every game there is.")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Verify the stored rows as a bundle.")] = False,
) -> None:
    """Fold streams again from the store; fails on any that does not fold or whose read model differs from the fold."""
    if all_games == (game is not None):
        raise typer.BadParameter("name one game, or say --all")
    game_id = None if game is None else _game_id(game)
    with _servers(_settings(data=data)) as servers:
        faults = uvloop.run(_replay(servers, game_id, verify=verify))
    if faults:
        raise typer.Exit(1)


@cli.command()
def impact(
    ruleset: Annotated[str, typer.Argument(help="The name of a title, as `gravwell`.")],
    first: Annotated[int, typer.Option("--from", help="The one version of its rules.")],
    second: Annotated[int, typer.Option("--to", help="The other version.")],
    data: Data = None,
) -> None:
    """Decide every stored game of a title anew under two versions of its rules, and tell where they part first.

    Nothing is written. Fails on a game that does not fold, or is not what its own rules decide.
    """
    for version in (first, second):
        if (ruleset, version) not in CATALOGUE:
            raise typer.BadParameter(f"there are no rules {version} of {ruleset}")
    with _servers(_settings(data=data)) as servers:
        faults = uvloop.run(_impact(servers, ruleset, (first, second)))
    if faults:
        raise typer.Exit(1)


@cli.command()
def export(
    game: Annotated[str | None, typer.Argument(help="A game's id; or --all.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="The file, or with --all the folder.", show_default="the game's UUID, or `bundles`"),
    ] = None,
    data: Data = None,
    *,
    all_games: Annotated[bool, typer.Option("--all", help="Every game in which something has happened.")] = False,
    since: Annotated[str | None, typer.Option(help="With --all: since this time, ISO 8601, UTC if not said.")] = None,
    public: Annotated[bool, typer.Option("--no-private", help="With --all: leave private games out.")] = False,
) -> None:
    """Write games as bundles, files that anybody can verify: whole if a game has ended, else its public form.

    An interrupted --all goes on where it was: what is there already, with the same head, is left.
    """
    if all_games == (game is not None) or (since is not None and not all_games):
        raise typer.BadParameter("name one game, or say --all, which may have a --since")
    game_id, begun = None if game is None else _game_id(game), _time(since)
    settings = _settings(data=data)
    with _servers(settings) as servers:
        if game_id is None:
            uvloop.run(_export_all(settings, servers, output or Path("bundles"), begun, private=not public))
        else:
            uvloop.run(_export(settings, servers, game_id, output))


@cli.command(name="import")
def import_(
    file: Annotated[Path, typer.Argument(help="A bundle.", exists=True, dir_okay=False)],
    data: Data = None,
    visibility: Annotated[Visibility, typer.Option(help="Who may see the game here.")] = Visibility.UNLISTED,
) -> None:
    """Take a game from a bundle: marked as imported, to be read only, with nobody on its seats.

    Refuses a bundle in which anything is wrong, and names its first wrong line.
    """
    settings = _settings(data=data)
    try:
        bundle = bundles.read(file.read_bytes())
        with _servers(settings) as servers:
            new = uvloop.run(_import(servers, bundle, visibility))
    except bundles.Damaged as damaged:
        raise _Exit(f"{file}: {damaged}") from None
    except importing.AnotherHistory:
        raise _Exit(f"{file}: the game {bundle.header.game} is here already, with another head.") from None
    except importing.UnknownRules:
        raise _Exit(f"{file}: {bundle.header.ruleset} rules {bundle.header.rules} are not in this build.") from None
    typer.echo(f"The game {game_id(bundle.header.game)} {'is here now' if new else 'was here already'}.")


@cli.command()
def verify(
    files: Annotated[list[Path], typer.Argument(help="Bundles.", exists=True, dir_okay=False)],
    head: Annotated[list[str] | None, typer.Option(help="The hash of an event that you know from elsewhere.")] = None,
    receipt: Annotated[list[Path] | None, typer.Option(help="A signed receipt.", exists=True, dir_okay=False)] = None,
    checkpoint: Annotated[
        list[Path] | None, typer.Option(help="A game's place in a signed checkpoint.", exists=True, dir_okay=False)
    ] = None,
    key: Annotated[
        list[str] | None, typer.Option(help="A public key, or a file with the list of keys: believe no others.")
    ] = None,
) -> None:
    """Verify bundles offline: bytes, chain, commitments, chance, rules, outcome, signature.

    Names the line, the event and what is wrong, and fails on anything that is. Without a hash, receipt or checkpoint
    known from elsewhere the best there is to say is "consistent; not anchored": a chain that was rebuilt as a whole is
    consistent too.
    """
    known = Known(
        frozenset(map(_hexadecimal, head or ())),
        tuple(map(_document, receipt or ())),
        tuple(map(_document, checkpoint or ())),
        _believed(key or []),
    )
    _set_apart_what_is_loaded()
    tally, began = auditor.Tally(), time.perf_counter()
    with _progress() as progress:
        task = progress.add_task("verified", total=sum(file.stat().st_size for file in files))
        for audited in auditor.audit_files(files, known):
            tally.add(audited)
            progress.advance(task, audited.size)
            _tell(audited, briefly=len(files) > 1)
    for one in known.unnamed(tally.found):
        typer.echo(one)
    foreign = () if tally.damaged else known.foreign(tally.found)
    for one in foreign:
        typer.echo(one, err=True)
    rate = tally.events / (time.perf_counter() - began)
    typer.echo(f"{_counted(bundle=tally.bundles, event=tally.events)}, {rate:,.0f} events/s: {tally.verdict()}")
    if tally.damaged or foreign:
        raise typer.Exit(1)


@cli.command()
def release(game: GameArgument, data: Data = None) -> None:
    """Let a quarantined game go on; whoever is awaited gets a whole turn's time again."""
    _operate(operating.release, game, data, "goes on")


@cli.command()
def end(game: GameArgument, data: Data = None) -> None:
    """End a quarantined game without asking its rules anything."""
    _operate(operating.end, game, data, "has ended")


@cli.command()
def checkpoint(data: Data = None) -> None:
    """Sign where all games stand now, and print what is signed as JSON; a worker does so daily."""
    settings = _settings(data=data)
    with _servers(settings) as servers:
        typer.echo(uvloop.run(_checkpoint(servers, _keyring(settings))))


@keys_cli.command("list")
def list_keys(data: Data = None) -> None:
    """Print the public keys, newest first, as they are published."""
    settings = _settings(data=data)
    with _servers(settings) as servers:
        typer.echo(uvloop.run(_list_keys(servers, _keyring(settings))))


@keys_cli.command("new")
def new_key() -> None:
    """Print a new private key, to be given to every process as SLOWLIGHT_SIGNING_KEY."""
    typer.echo(secrets.token_hex(32))


@keys_cli.command("rotate")
def rotate_key(
    data: Data = None,
    *,
    at_once: Annotated[
        bool, typer.Option("--at-once", help="Use the old key no more from now on: somebody else may have it.")
    ] = False,
) -> None:
    """Let a new key follow the one in use; that is good for another day, and stays published."""
    settings = _settings(data=data)
    with _servers(settings) as servers:
        overlap = timedelta() if at_once else keyrings.OVERLAP
        new, private = uvloop.run(_rotate_key(servers, _keyring(settings), overlap))
    typer.echo(f"The public key is {new} now.", err=True)
    if private is not None:
        typer.echo("Give every process this as SLOWLIGHT_SIGNING_KEY, and start it again:", err=True)
        typer.echo(private)


@keys_cli.command("retire")
def retire_key(key: Annotated[str, typer.Argument(help="A public key.")], data: Data = None) -> None:
    """Use a key no more from now on; it stays published."""
    with _servers(_settings(data=data)) as servers:
        if not uvloop.run(_retire_key(servers, key)):
            raise _Exit("There is no such key.")


@cli.command()
def token(
    handle: Annotated[str, typer.Argument(help="The handle of the account.")],
    data: Data = None,
    name: Annotated[str, typer.Option(help="What its owner will see the token listed under.")] = "operator",
) -> None:
    """Make another token for an account, for somebody who lost theirs, and print it this once."""
    with _servers(_settings(data=data)) as servers:
        typer.echo(uvloop.run(_token(servers, handle, name)))


@cli.command()
def forget(handle: Annotated[str, typer.Argument(help="The handle of the account.")], data: Data = None) -> None:
    """Forget a player for good: nothing of theirs is kept, running games retire their seat, open ones are left."""
    with _servers(_settings(data=data)) as servers:
        forgotten = uvloop.run(_forget(servers, handle))
    typer.echo(f"Forgotten: {forgotten.retired} running games retire the seat, {forgotten.left} open ones are left.")


class _Exit(typer.Exit):
    """An exit with a word on standard error."""

    def __init__(self, word: str) -> None:
        typer.echo(word, err=True)
        super().__init__(1)


class _Server(uvicorn.Server):
    """Uvicorn as one part of a process that minds its signals itself, and says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[Any] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def _settings(**given: Any) -> Settings:
    """The settings of the environment, but for what the command line says."""
    said = {name: value for name, value in given.items() if value is not None}
    try:
        settings = Settings(**said)
    except ValidationError as error:
        wrong = ((str(one["loc"][0]), one["msg"]) for one in error.errors(include_input=False))
        named = ((f"--{name}" if name in said else f"SLOWLIGHT_{name.upper()}", why) for name, why in wrong)
        raise _Exit("\n".join(f"{name}: {why}." for name, why in named)) from None
    log_to_stderr(settings.log_level)
    return settings


@contextmanager
def _bound(settings: Settings) -> Iterator[socket.socket]:
    """The socket to listen on, taken before anything is started that would have to be stopped again."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((settings.host, settings.port))
        except OSError as error:
            place = _place(settings.host, settings.port)
            if error.errno == EADDRINUSE:
                raise _Exit(f"{place} is in use; name another with --port.") from None
            raise _Exit(f"{place} cannot be listened on: {error.strerror}.") from None
        yield door


def _place(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@contextmanager
def _servers(settings: Settings, *, as_it_is: bool = False) -> Iterator[Servers]:
    """The servers named by the settings; those that are not named are embedded ones, for as long as they are used.

    The database is at the newest schema, unless it is taken as it is.
    """
    try:
        with joined(settings.data, settings.database_url, settings.redis_url) as servers:
            if not as_it_is:
                _at_newest_schema(settings, servers)
            yield servers
    except Unfit as unfit:
        raise _Exit(str(unfit)) from None
    except OperationalError:
        raise _Exit("The database does not answer.") from None


def _at_newest_schema(settings: Settings, servers: Servers) -> None:
    """Bring an embedded database to the newest schema; one of somebody's own is its owner's to bring there."""
    if settings.database_url is None:
        migrate_database(servers.database_url)
    elif missing := unapplied(servers.database_url):
        raise _Exit(f"The database lacks {', '.join(missing)}: run `slowlight migrate` as its owner.")


async def _serve(
    settings: Settings, servers: Servers, roles: frozenset[Role], door: socket.socket | None, welcome: Path | None
) -> None:
    stop = _stop_on_signals()
    async with AsyncExitStack() as stack:
        if door is not None:
            url = await stack.enter_async_context(_listening(settings, servers, roles, door, stop))
            typer.echo(f"Slowlight is ready at {url}/graphql")
            if welcome is not None:
                await newcomer.welcome(f"{url}/graphql", welcome, typer.echo)
        else:
            await stack.enter_async_context(running(*_urls(servers), roles, stop=stop, keyring=_signing(settings)))
            typer.echo("Slowlight is ready to mind timers and house bots")
        await stop.wait()


@asynccontextmanager
async def _listening(
    settings: Settings, servers: Servers, roles: frozenset[Role], door: socket.socket, stop: asyncio.Event
) -> AsyncIterator[str]:
    """The service behind its HTTP face, until the context is left; gives the address.

    Left, it drains: nothing new is claimed, whoever follows is sent away, and what is under way is answered.
    """
    connections = Connections(Terms(origins=settings.origins))
    poll_seconds, keyring = settings.poll_seconds, _signing(settings)
    async with running(*_urls(servers), roles, stop=stop, poll_seconds=poll_seconds, keyring=keyring) as service:
        config = uvicorn.Config(
            make_app(service, connections),
            lifespan="off",
            http=HttpProtocol,
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
            ws="websockets-sansio",
            ws_max_size=BODY_BYTES_MAX,
            ws_per_message_deflate=False,  # what all followers get alike is not worth packing for each
        )
        ready = asyncio.Event()
        server = _Server(config, ready.set)
        serving = asyncio.create_task(server.serve(sockets=[door]))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait([serving, waiting], return_when=asyncio.FIRST_COMPLETED)
        _set_apart_what_is_loaded()
        try:
            yield f"http://{_place(settings.host, door.getsockname()[1])}"
        finally:
            stop.set()
            await connections.drain()
            server.should_exit = True
            await serving


def _set_apart_what_is_loaded() -> None:
    """Modules and schema stay for good: the collector of garbage leaves them alone, who had a tenth of each turn."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE_MAX)


def _urls(servers: Servers) -> tuple[str, str]:
    return servers.database_url, servers.redis_url


def _stop_on_signals() -> asyncio.Event:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


async def _demo(settings: Settings, servers: Servers, door: socket.socket) -> None:
    async with (
        _listening(settings, servers, frozenset(Role), door, asyncio.Event()) as url,
        await store.connect(servers.database_url) as connection,
    ):
        await demo_game.play(f"{url}/graphql", connection, typer.echo)


async def _replay(servers: Servers, game_id: UUID | None, *, verify: bool) -> int:
    """Replay one game or all; gives the number of faults."""
    faults = games = events = 0
    began = time.perf_counter()
    async with await store.connect(servers.database_url) as connection:
        async for replayed in _replayed(connection, game_id, verify=verify):
            games, events = games + 1, events + replayed.events
            faults += len(replayed.faults)
            for fault in replayed.faults:
                typer.echo(f"{replayed.game_id}: {fault}", err=True)
    seconds = time.perf_counter() - began
    typer.echo(f"{_counted(game=games, event=events, fault=faults)}, {events / seconds:,.0f} events/s")
    return faults


async def _replayed(connection: Any, game_id: UUID | None, *, verify: bool) -> AsyncIterator[replaying.Replayed]:
    if game_id is None:
        async for replayed in replaying.replay_all(connection, verify=verify):
            yield replayed
        return
    one = await replaying.replay(connection, game_id, verify=verify)
    if one is None:
        raise _Exit("There is no such game.")
    yield one


async def _impact(servers: Servers, ruleset: str, versions: tuple[int, int]) -> int:
    """Tell of the impact on each game of a title; gives the number of faults."""
    games = partings = faults = 0
    async with await store.connect(servers.database_url) as connection:
        async for impact in impacts.impact_on_all(connection, ruleset, versions):
            games += 1
            if impact.fault is not None:
                faults += 1
                typer.echo(f"{impact.game_id}: {impact.fault}", err=True)
            elif impact.parting is not None:
                partings += 1
                typer.echo(f"{impact.game_id}: parts at version {impact.parting.version} of {impact.events}")
                for version, told in zip(versions, impact.parting.under, strict=True):
                    typer.echo(f"  rules {version}: {told}")
    typer.echo(f"{_counted(game=games)}, {partings} part, {_counted(fault=faults)}")
    return faults


def _progress() -> Progress:
    """A bar on standard error, for whoever looks at it."""
    console = Console(stderr=True)
    columns = (*Progress.get_default_columns()[:3], MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal)


async def _export(settings: Settings, servers: Servers, game_id: UUID, output: Path | None) -> None:
    path, keyring = output or Path(f"{game_id}.jsonl"), _signing(settings)
    async with await store.connect(servers.database_url) as connection:
        lines = await exporting.export(connection, game_id, await _key(connection, keyring))
        if lines is None:
            raise _Exit("There is no such game.")
        await exporting.put(path, lines)
    typer.echo(path)


async def _export_all(settings: Settings, servers: Servers, folder: Path, since: datetime, *, private: bool) -> None:
    keyring, written = _signing(settings), 0
    async with await store.connect(servers.database_url) as connection:
        key = await _key(connection, keyring)
        games = await exporting.games_since(connection, since, private=private)
        with _progress() as progress:
            task = progress.add_task("games", total=len(games))
            async for new in exporting.export_to(connection, folder, games, key):
                written += new
                progress.advance(task)
    typer.echo(f"{_counted(game=len(games))} in {folder}, {written} written now")


async def _key(connection: Any, keyring: Keyring) -> SigningKey:
    """The key that signs, published by now."""
    try:
        key = await keyring.current(connection)
    except keyrings.BadKey as bad:
        raise _Exit(str(bad)) from None
    if key is None:
        raise _Exit("There is no key in use to sign with.")
    return key


async def _import(servers: Servers, bundle: bundles.Bundle, visibility: Visibility) -> bool:
    async with await store.connect(servers.database_url) as connection:
        return await importing.import_game(connection, bundle, visibility)


def _tell(audited: auditor.Audited, *, briefly: bool) -> None:
    """What is to be said of one bundle: what it is and what is proven of it, or what is wrong."""
    if audited.verified is None:
        typer.echo(f"{audited.path}: {audited.damaged}", err=True)
    elif briefly:
        typer.echo(f"{audited.path}: {audited.verified.briefly()}")
    else:
        typer.echo("\n".join(audited.verified.told()))


def _counted(**counts: int) -> str:
    return ", ".join(f"{count} {noun}{'s' * (count != 1)}" for noun, count in counts.items())


def _document(path: Path) -> Document:
    """Something signed, as the API gives it."""
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise typer.BadParameter(f"{path} does not hold a JSON object")
    return Document(str(path), value)


def _believed(given: list[str]) -> dict[str, datetime | None]:
    """The public keys that are named, and those in lists of keys; a list must follow from a key that is named."""
    named = [_hexadecimal(one) for one in given if not Path(one).is_file()]
    keys: dict[str, datetime | None] = dict.fromkeys(named)
    for path in (Path(one) for one in given if Path(one).is_file()):
        keys |= _following(path, named)
    return keys


def _following(path: Path, named: list[str]) -> dict[str, datetime | None]:
    """The keys of a list that follows from one of those that are named, or of any list where none is."""
    document, why = _document(path).value, list[Unproven]()
    held: list[str | None] = [*named] or [None]
    for pinned in held:
        try:
            return keys_in(document, pinned)
        except Unproven as unproven:
            why.append(unproven)
    raise typer.BadParameter(f"{path}: {why[0]}")


def _hexadecimal(text: str) -> str:
    """A hash or a public key as bundles have it."""
    if not re.fullmatch(r"[0-9a-fA-F]{64}", text):
        raise typer.BadParameter("that is not 64 hexadecimal digits")
    return text.lower()


def _time(text: str | None) -> datetime:
    if text is None:
        return datetime.min.replace(tzinfo=UTC)
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("that is not a time: write it as 2026-11-29T20:00:00Z") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _operate(deed: Callable[[Any, UUID], Coroutine[Any, Any, int]], game: str, data: Path | None, done: str) -> None:
    game_id = _game_id(game)
    with _servers(_settings(data=data)) as servers:
        version = uvloop.run(_operated(servers, deed, game_id))
    typer.echo(f"The game {done}, at version {version}.")


async def _operated(servers: Servers, deed: Callable[[Any, UUID], Coroutine[Any, Any, int]], game_id: UUID) -> int:
    hints = Hints(servers.redis_url)
    try:
        async with await store.connect(servers.database_url) as connection:
            version = await deed(connection, game_id)
        await hints.publish([Hint(game_id, version, inbox=True, timers=True)])
    except operating.NotQuarantined:
        raise _Exit("There is no such game, or it is not quarantined.") from None
    except operating.DoesNotFold as unfolded:
        raise _Exit(f"The game still does not fold ({unfolded}), and stays quarantined.") from None
    finally:
        await hints.close()
    return version


async def _token(servers: Servers, handle: str, name: str) -> str:
    async with store.pool(servers.database_url, 1) as pool:
        directory = accounts.Accounts(pool)
        player = await directory.by_handle(handle)
        if player is None:
            raise _Exit(f"There is no account {handle}.")
        made = await directory.name_token(player, name)
    if isinstance(made, Refusal):
        raise _Exit(made.message)
    return made[1]


async def _forget(servers: Servers, handle: str) -> Forgotten:
    hints = Hints(servers.redis_url)
    try:
        async with store.pool(servers.database_url, 1) as pool:
            player = await accounts.Accounts(pool).by_handle(handle)
            if player is None:
                raise _Exit(f"There is no account {handle}.")
            async with pool.connection() as connection:
                forgotten = await forgetting.forget(connection, player.id)
        assert forgotten is not None, "an account that was there a moment ago"
        await hints.publish([Hint(game_id, 0, inbox=True) for game_id in forgotten.games])
    finally:
        await hints.close()
    return forgotten


def _keyring(settings: Settings, *, made: bool = False) -> Keyring:
    """The key to sign with: that of the environment, or that of the data folder, which is `made` if need be."""
    try:
        keyring = Keyring(settings.signing_key, settings.data / keyrings.FILE)
        if made and keyring.file is not None:
            keyrings.make(keyring.file)
        keyring.key()
    except keyrings.BadKey as bad:
        raise _Exit(str(bad)) from None
    return keyring


def _signing(settings: Settings) -> Keyring:
    """The key of a process of the service. With a database of one's own none is made: the others would not have it."""
    keyring = _keyring(settings, made=settings.database_url is None)
    if keyring.key() is None:
        log.warning("nothing_is_signed", why="there is no SLOWLIGHT_SIGNING_KEY")
    return keyring


async def _checkpoint(servers: Servers, keyring: Keyring) -> str:
    try:
        async with await store.connect(servers.database_url) as connection:
            made = await checkpoints.make_checkpoint(connection, keyring)
    except checkpoints.LogContradicted as contradicted:
        raise _Exit(f"Nothing is signed: the stream of {contradicted} is not the one that stands in the log.") from None
    except keyrings.BadKey as bad:
        raise _Exit(str(bad)) from None
    if made is None:
        raise _Exit("There is no key in use to sign with.")
    return json.dumps(made.json(), indent=1)


async def _list_keys(servers: Servers, keyring: Keyring) -> str:
    try:
        async with await store.connect(servers.database_url) as connection:
            listed = KeyList(*await keyrings.published(connection, keyring))
    except keyrings.BadKey as bad:
        raise _Exit(str(bad)) from None
    return json.dumps(listed.json(), indent=1)


async def _rotate_key(servers: Servers, keyring: Keyring, overlap: timedelta) -> tuple[str, str | None]:
    try:
        async with await store.connect(servers.database_url) as connection:
            new, private = await keyrings.rotated(connection, keyring, overlap)
    except keyrings.BadKey as bad:
        raise _Exit(str(bad)) from None
    return new.key, private


async def _retire_key(servers: Servers, key: str) -> bool:
    async with await store.connect(servers.database_url) as connection:
        return await keyrings.retired(connection, key)


def _game_id(text: str) -> UUID:
    try:
        return game_of(text) or UUID(text)
    except ValueError:
        raise typer.BadParameter("that is not the id of a game") from None

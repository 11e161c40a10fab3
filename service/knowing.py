"""What whoever verifies a bundle knows from elsewhere: hashes, receipts, places in checkpoints, and keys to believe."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from domain.bundle import Bundle, Damaged
from domain.forms import is_hash, is_id
from domain.stream import Row
from service.anchors import anchored
from service.receipts import vouched
from service.signing import Keys, Unproven

_STATEMENTS: Final = {"RECEIPT": ("accepted", "settled"), "CHECKPOINT": ("checkpoint",)}
"""Where statements stand in what is handed in as a receipt, and as a game's place in a checkpoint."""


@dataclass(frozen=True, slots=True)
class Document:
    """Something signed: where it was read, and what it is."""

    name: str
    value: Any

    def says(self, code: str, name: str) -> list[str]:
        """The texts that stand under a name in its statements, as what it was handed in; whoever signed them."""
        return [text for kind in _STATEMENTS[code] if isinstance(text := _said(self.value, kind).get(name), str)]


@dataclass(frozen=True, slots=True)
class Known:
    """Hashes of events; receipts; checkpoints, each with the place of a game in it; public keys that are believed.

    Where no key is given, what is signed is believed by the key in it: somebody kept it, and says that it is ours.
    Anybody can sign so, and whoever reads the verdict must be told whose word it is: `unnamed` says it.
    """

    heads: frozenset[str] = frozenset()
    receipts: tuple[Document, ...] = ()
    checkpoints: tuple[Document, ...] = ()
    keys: Mapping[str, datetime | None] = field(default_factory=dict)

    def anchors(self, bundle: Bundle) -> dict[str, int | None]:
        """What of this is about a bundle, each by its name, and the version up to which it vouches, if it does.

        Raises Damaged if the bundle is not what a receipt or a checkpoint says, or that is not signed as it should be.
        """
        versions = {event.row.hash.hex(): event.row.version for event in bundle.events}
        found: dict[str, int | None] = {f"head {head}": versions[head] for head in self.heads if head in versions}
        for receipt in self.receipts:
            if str(bundle.header.game) in receipt.says("RECEIPT", "game"):
                found[receipt.name] = self._proven("RECEIPT", receipt, bundle, vouched)
        for checkpoint in self.checkpoints:
            if _hash(checkpoint.value) in versions:
                found[checkpoint.name] = self._proven("CHECKPOINT", checkpoint, bundle, _anchored)
        return found

    def foreign(self, found: Collection[str]) -> Sequence[str]:
        """What of this is about none of the bundles in which `found` was."""
        heads = (
            f"head {head}: no event here has this hash: this is not the history that it is of [HEAD]"
            for head in sorted(self.heads)
            if f"head {head}" not in found
        )
        receipts = (f"{one.name}: {_elsewhere(one)}" for one in self.receipts if one.name not in found)
        checkpoints = (
            f"{one.name}: no event here has the hash in it: this is not the history that it is of [CHECKPOINT]"
            for one in self.checkpoints
            if one.name not in found
        )
        return (*heads, *receipts, *checkpoints)

    def unnamed(self, found: Collection[str]) -> Sequence[str]:
        """Of what was `found` in bundles, what is believed by the key in it alone, and by which."""
        signed = (*(("RECEIPT", one) for one in self.receipts), *(("CHECKPOINT", one) for one in self.checkpoints))
        return tuple(
            f"{one.name}: signed by {key}, which was not named"
            for code, one in signed
            if not self.keys and one.name in found
            for key in _keys(code, one)
        )

    def _proven(
        self,
        code: str,
        document: Document,
        bundle: Bundle,
        prove: Callable[[Any, Keys, UUID, Sequence[Row]], int | None],
    ) -> int | None:
        keys = self.keys or _keys(code, document)
        try:
            return prove(document.value, keys, bundle.header.game, [event.row for event in bundle.events])
        except Unproven as unproven:
            raise Damaged(code, bundle.closing_line, f"{document.name}: {unproven}") from None


def _said(document: Any, kind: str) -> Mapping[str, Any]:
    """What a statement in a document says, nothing where it is none; whether it is signed is not looked at."""
    match document.get(kind) if isinstance(document, Mapping) else None:
        case {"text": str(text)}:
            with suppress(ValueError, RecursionError):
                said = json.loads(text)
                return said if isinstance(said, Mapping) else {}
    return {}


def _hash(document: Any) -> str | None:
    """The hash that an anchor says stood in the log, None if it says none."""
    match document:
        case {"hash": str(digest)}:
            return digest
    return None


def _keys(code: str, document: Document) -> dict[str, None]:
    """The keys that the statements in a document say they are signed with."""
    return dict.fromkeys(key for key in document.says(code, "key") if is_hash(key))


def _elsewhere(receipt: Document) -> str:
    """Why a receipt is about none of the games at hand."""
    games = sorted({game for game in receipt.says("RECEIPT", "game") if is_id(game)})
    if not games:
        return "it is not a signed receipt [RECEIPT]"
    return f"it is a receipt of another game: {' and of '.join(games)} [FOREIGN_RECEIPT]"


def _anchored(document: Any, keys: Keys, game: UUID, rows: Sequence[Row]) -> int:
    return anchored(document, keys, game, rows).version

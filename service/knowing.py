"""What whoever verifies a bundle knows from elsewhere: hashes, receipts, places in checkpoints, and keys to believe."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from domain.bundle import Bundle, Damaged
from service.anchors import anchored
from service.receipts import vouched
from service.signing import Unproven


@dataclass(frozen=True, slots=True)
class Document:
    """Something signed: where it was read, and what it is."""

    name: str
    value: Any

    def says(self, name: str) -> Any:
        """What stands in its statements under a name, whoever signed them; None if nothing does."""
        halves = [self.value.get(kind) for kind in ("accepted", "settled", "checkpoint")]
        texts = [half["text"] for half in halves if isinstance(half, Mapping) and isinstance(half.get("text"), str)]
        try:
            said = [json.loads(text) for text in texts]
        except (ValueError, RecursionError):
            return None
        return next((one[name] for one in said if isinstance(one, Mapping) and name in one), None)


@dataclass(frozen=True, slots=True)
class Known:
    """Hashes of events; receipts; checkpoints, each with the place of a game in it; public keys that are believed.

    Where no key is given, what is signed is believed by the key in it: somebody kept it, and says that it is ours.
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
            if receipt.says("game") == str(bundle.header.game):
                found[receipt.name] = self._proven("RECEIPT", receipt, bundle, vouched)
        for checkpoint in self.checkpoints:
            if checkpoint.value.get("hash") in versions:
                found[checkpoint.name] = self._proven("CHECKPOINT", checkpoint, bundle, _anchored)
        return found

    def foreign(self, found: set[str]) -> Sequence[str]:
        """What of this is about none of the bundles in which `found` was."""
        heads = (
            f"head {head}: no event here has this hash: this is not the history that it is of [HEAD]"
            for head in sorted(self.heads)
            if f"head {head}" not in found
        )
        receipts = (
            f"{receipt.name}: it is a receipt of another game: {receipt.says('game')} [FOREIGN_RECEIPT]"
            for receipt in self.receipts
            if receipt.name not in found
        )
        checkpoints = (
            f"{one.name}: no event here has the hash in it: this is not the history that it is of [CHECKPOINT]"
            for one in self.checkpoints
            if one.name not in found
        )
        return (*heads, *receipts, *checkpoints)

    def _proven(
        self, code: str, document: Document, bundle: Bundle, prove: Callable[[Any, Any, Any, Any], int | None]
    ) -> int | None:
        keys = self.keys or {document.says("key"): None}
        try:
            return prove(document.value, keys, bundle.header.game, [event.row for event in bundle.events])
        except Unproven as unproven:
            raise Damaged(code, bundle.closing_line, f"{document.name}: {unproven}") from None


def _anchored(document: Any, keys: Any, game: Any, rows: Any) -> int:
    return anchored(document, keys, game, rows).version

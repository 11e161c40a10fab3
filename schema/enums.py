"""The enums of the service under their GraphQL names."""

from typing import Any

import strawberry

from domain.game import Status
from service.seen import ChangeReason, ReceiptStatus, Visibility

__all__ = ["ChangeReason", "ReceiptStatus", "Status", "Visibility"]

_NAMES: dict[Any, str] = {
    Status: "GameStatus",
    Visibility: "Visibility",
    ReceiptStatus: "ReceiptStatus",
    ChangeReason: "ChangeReason",
}

for _enum, _name in _NAMES.items():
    strawberry.enum(_enum, name=_name, description=_enum.__doc__)

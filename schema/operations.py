"""Operations over connections that stay open: what is asked, and the answers to it one by one, as JSON text.

The followers of a game who ask alike and see alike share one execution an update, and its very text.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from inspect import isawaitable
from typing import Any
from weakref import WeakValueDictionary

from graphql import ExecutionResult, Executor, OperationType, create_source_event_stream

from schema.context import Context, context_of
from schema.documents import Document, document
from schema.errors import BadRequest, execution_error, refused_stream
from schema.executing import executed
from schema.request import Asked
from schema.schema import SCHEMA
from service.hub import Following
from service.seen import GameUpdate, Refusal
from service.slowlight import Slowlight


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Question:
    """One operation with its variables."""

    document: Document
    operation_name: str | None
    variables: dict[str, Any] | None

    def executed(self, context: Context, event: Any = None) -> Any:
        """The ExecutionResult of the operation, or an awaitable of it."""
        return executed(self.document, self.operation_name, self.variables, context, event)


class Operations:
    """What the connections of one process ask of its service."""

    def __init__(self, service: Slowlight) -> None:
        self.service = service
        self._questions: WeakValueDictionary[tuple[str, str | None, str], Question] = WeakValueDictionary()

    async def begun(self, asked: Asked, authorization: str | None) -> "Operation":
        """An operation that can be answered. Raises what `failed` knows."""
        valid = document(asked.query)
        kind = valid.operation(asked.operation_name)
        context = await context_of(self.service, authorization)
        question = Question(valid, asked.operation_name, asked.variables)
        return Operation(self, kind, question, context, authorization)

    def shared(self, question: Question) -> Question:
        """The question that all ask alike of whom only the arguments of root fields differ.

        Its variables are those of the first of them: whoever shares theirs has been let in with them.
        """
        kept = question.document.lasting_variables
        lasting = {name: value for name, value in (question.variables or {}).items() if name in kept}
        key = question.document.text, question.operation_name, json.dumps(lasting, sort_keys=True)
        return self._questions.setdefault(key, question)

    def text(self, question: Question, update: GameUpdate) -> str | asyncio.Future[str]:
        """The answer to an update, for all for whom it is meant; where it takes time, a Future not to be cancelled."""
        text: str | asyncio.Future[str] | None = update.told.get(question)
        if text is None:
            result = question.executed(Context(self.service, update.viewer), update)
            at_once = isinstance(result, ExecutionResult)
            text = update.told[question] = _text(result) if at_once else asyncio.ensure_future(_later(result))
        return text


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of one connection."""

    operations: Operations
    kind: OperationType
    question: Question
    context: Context
    authorization: str | None

    async def answers(self, take: Callable[[str], bool] | None = None) -> AsyncGenerator[str, None]:
        """One answer to a query or a mutation, one an event to a subscription. Raises what ends it: see `failed`.

        What is known at once while the next answer is waited for goes to `take` instead, unless that says False.
        """
        if self.kind is not OperationType.SUBSCRIPTION:
            yield await self._answer(None)
            return
        async with aclosing(await self._events()) as events:
            question = self.operations.shared(self.question)
            if isinstance(events, Following) and take is not None:
                events.taker = partial(self._take, question, take)
            async for event in events:
                if isinstance(event, Refusal):
                    raise refused_stream(event)
                if not isinstance(event, GameUpdate) or event.viewer is not None:
                    # For the eyes of one player, if that is still who follows: a token may be revoked.
                    await context_of(self.operations.service, self.authorization)
                yield await (self._told(question, event) if isinstance(event, GameUpdate) else self._answer(event))

    def _take(self, question: Question, take: Callable[[str], bool], update: GameUpdate) -> bool:
        if update.viewer is not None:
            return False
        try:
            text = self.operations.text(question, update)
        except Exception:  # noqa: BLE001 - each follower meets it for itself, where it is answered
            return False
        return isinstance(text, str) and take(text)

    async def _told(self, question: Question, update: GameUpdate) -> str:
        text = self.operations.text(question, update)
        return text if isinstance(text, str) else await asyncio.shield(text)

    async def _answer(self, event: Any) -> str:
        result = self.question.executed(self.context, event)
        return _text(result if isinstance(result, ExecutionResult) else await result)

    async def _events(self) -> Any:
        """What the root field follows, as an asynchronous iterator that can be closed."""
        executor = Executor.build(
            SCHEMA,
            self.question.document.parsed,
            context_value=self.context,
            raw_variable_values=self.question.variables,
            operation_name=self.question.operation_name,
        )
        if not isinstance(executor, Executor):
            raise BadRequest(None, [execution_error(error) for error in executor])
        events: Any = create_source_event_stream(executor)
        if isawaitable(events):
            events = await events
        if isinstance(events, ExecutionResult):
            raise BadRequest(None, [execution_error(error) for error in events.errors or ()])
        return events


async def _later(result: Any) -> str:
    return _text(await result)


def _text(result: ExecutionResult) -> str:
    """An answer as it travels, on one line. Raises BadRequest where nothing was executed at all."""
    content: Mapping[str, Any] = {"data": result.data}
    if result.errors:
        errors = [execution_error(error) for error in result.errors]
        if all(error.path is None for error in result.errors):
            raise BadRequest(None, errors)
        content = {"errors": errors, "data": result.data}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))

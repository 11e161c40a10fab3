"""The one way an operation is executed: a common one as it was prepared, any other by graphql-core."""

from collections.abc import Callable
from inspect import isawaitable
from typing import Any, TypeVar

from graphql import ExecutionResult, Executor, GraphQLResolveInfo, MiddlewareManager, execute
from graphql.pyutils import AwaitableOrValue

from schema.context import Context
from schema.documents import Document
from schema.prepared import Asking, Prepared
from schema.schema import SCHEMA

T = TypeVar("T")


def executed(
    document: Document, name: str | None, variables: dict[str, Any] | None, context: Context, event: Any = None
) -> AwaitableOrValue[ExecutionResult]:
    """The ExecutionResult of an operation, or an awaitable of it; `event` is what a subscription answers to."""
    prepared = document.prepared.get(name)
    if prepared is None:
        return _by_core(document, name, variables, context, event)
    return _as_prepared(prepared, document, name, variables, context)


async def _as_prepared(
    prepared: Prepared, document: Document, name: str | None, variables: dict[str, Any] | None, context: Context
) -> ExecutionResult:
    asking = Asking(context, prepared.name)
    try:
        arguments = prepared.arguments(prepared.variables(variables or {}))
    except Exception:  # noqa: BLE001  (nothing is done yet, and graphql-core says what is wrong)
        return await _awaited(_by_core(document, name, variables, context))
    try:
        resolved = await _awaited(prepared.resolve(None, asking, **arguments))
    except Exception as error:  # noqa: BLE001  (graphql-core says where it was raised)
        return await _awaited(_by_core(document, name, variables, context, middleware=_raising(error)))
    try:
        return ExecutionResult({prepared.key: prepared.show(resolved, asking)})
    except Exception:  # noqa: BLE001  (graphql-core says what is wrong with what was resolved)
        return await _awaited(_by_core(document, name, variables, context, middleware=_giving(resolved)))


def _by_core(
    document: Document,
    name: str | None,
    variables: dict[str, Any] | None,
    context: Context,
    event: Any = None,
    middleware: MiddlewareManager | None = None,
) -> AwaitableOrValue[ExecutionResult]:
    return execute(
        SCHEMA,
        document.parsed,
        root_value=event,
        context_value=context,
        variable_values=variables,
        operation_name=name,
        executor_class=Executor,  # half of what the default one does is for @defer and @stream
        middleware=middleware,
    )


def _giving(resolved: Any) -> MiddlewareManager:
    """Has the root field resolve to what it has resolved to already: what it does is done once."""

    def give(resolve: Callable[..., Any], source: Any, info: GraphQLResolveInfo[Context], **arguments: Any) -> Any:
        return resolved if info.path.prev is None else resolve(source, info, **arguments)

    return MiddlewareManager(give)


def _raising(error: Exception) -> MiddlewareManager:
    """Has the root field raise what it has raised already."""

    def fail(_resolve: Callable[..., Any], _source: Any, _info: GraphQLResolveInfo[Context], **_arguments: Any) -> Any:
        raise error

    return MiddlewareManager(fail)


async def _awaited(value: AwaitableOrValue[T]) -> T:
    return await value if isawaitable(value) else value

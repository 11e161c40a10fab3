"""What a process says of itself: one JSON object a line on standard error, or colours at a terminal."""

import logging
import sys
import traceback

import structlog


def log_to_stderr(level: str) -> None:
    """Log from this level up. Never an exception's message or locals: they may hold what must stay hidden."""
    rendered = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            rendered if sys.stderr.isatty() else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    logging.basicConfig(handlers=[_Libraries()], level=logging.WARNING, force=True)


def where(error: BaseException) -> list[str]:
    """Where it was raised, innermost last, without messages and values."""
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)[-8:]]


def innermost(error: BaseException) -> BaseException:
    """The error itself, or the first of a group of them."""
    return innermost(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


class _Libraries(logging.Handler):
    """What libraries log, made into objects like ours. Only the text before it is filled: the filling may be secret."""

    def emit(self, record: logging.LogRecord) -> None:
        text = str(record.msg).strip().partition("\n")[0]
        error = record.exc_info[1] if record.exc_info else None
        raised = {} if error is None else {"error": type(error).__name__, "where": where(error)}
        structlog.get_logger().log(record.levelno, "library", logger=record.name, text=text, **raised)

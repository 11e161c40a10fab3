"""What the environment says of a process: each setting is the variable of its name after `SLOWLIGHT_`."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from service.hub import POLL_SECONDS


def _split(given: object) -> object:
    return given.replace(",", " ").split() if isinstance(given, str) else given


Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
"""Several words in one variable, between commas or spaces."""


class Settings(BaseSettings):
    """The settings of one process; what the command line says is passed by name and goes before the environment."""

    model_config = SettingsConfigDict(env_prefix="SLOWLIGHT_", env_ignore_empty=True, frozen=True)

    database_url: str | None = Field(default=None, repr=False)
    """A PostgreSQL of one's own; without it an embedded one runs under `data`."""

    redis_url: str | None = Field(default=None, repr=False)
    """A Valkey or Redis of one's own; without it an embedded one runs under `data`."""

    data: Path = Path(".slowlight")
    """The folder of the embedded servers."""

    signing_key: str | None = Field(default=None, repr=False)
    """The private key to sign with, 64 hexadecimal digits; without it that of `data`, if there is one."""

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    origins: Words = ()
    """Web pages of other origins that may ask and follow here, as `https://example.org`; `*` is all of them."""

    poll_seconds: float = Field(default=POLL_SECONDS, gt=0)
    """How often to look for what no hint told of."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"

"""The HTTP application."""

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import StatelessLifespan

from schema.view import GraphQLView
from service.slowlight import Slowlight


def make_app(service: Slowlight, lifespan: StatelessLifespan[Starlette] | None = None) -> Starlette:
    """The application over a service, whose life is the caller's: `lifespan` opens and closes it."""
    return Starlette(routes=[Route("/graphql", GraphQLView(service))], lifespan=lifespan)

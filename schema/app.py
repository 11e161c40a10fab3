"""The HTTP application."""

from starlette.applications import Starlette
from starlette.routing import Route

from schema.view import GraphQLView
from service.slowlight import Slowlight


def make_app(service: Slowlight) -> Starlette:
    """The application over a running service, whose life is the caller's."""
    return Starlette(routes=[Route("/graphql", GraphQLView(service))])

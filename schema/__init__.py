"""The GraphQL face: types, resolvers and the HTTP application."""

"""The database, step by step: plain SQL files in the order of their names."""

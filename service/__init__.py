"""The process: takes turns in, resolves them, keeps time and tells who is listening."""

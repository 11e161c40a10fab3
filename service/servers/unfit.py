"""Why servers cannot run."""


class Unfit(Exception):
    """The embedded servers cannot run here; the message says what is in the way and how to mend it."""

"""How a failed stream shows itself where the SDK raises nothing."""


class Unfinished(Exception):
    """A stream that came to no end of its dialect, or to one that says that it failed."""

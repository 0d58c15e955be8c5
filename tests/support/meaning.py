"""What an answer means, whatever dialect says it: the common ground of all comparisons.

Nothing here knows a wire format. `vendors/` says an `Answer` in a vendor's words, `clients/` reads
a vendor's SDK objects into a `Meaning`, and a test compares the two.
"""

import json
from dataclasses import dataclass, field
from typing import Any

STOP, LENGTH, TOOL, FILTER = "stop", "length", "tool", "filter"


@dataclass(frozen=True)
class Usage:
    """Tokens. `input` counts caches in, `output` counts reasoning in."""

    input: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0
    reasoning: int = 0


@dataclass(frozen=True)
class Call:
    """A tool call; `id` is None where the vendor gives none, `arguments` is text where it was cut."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True)
class Citation:
    """A web page that a stretch of the text stands on."""

    url: str
    title: str
    cited: str


@dataclass(frozen=True)
class Logprob:
    """How likely a token was."""

    token: str
    logprob: float


@dataclass(frozen=True)
class Choice:
    """One of several answers to the same question."""

    text: str = ""
    finish: str | None = None


@dataclass
class Meaning:
    """What a client's SDK has understood.

    `raw` is the SDK's own object, for tests that hand it back as history.
    """

    text: str = ""
    reasoning: str = ""
    calls: list[Call] = field(default_factory=list)
    finish: str | None = None
    usage: Usage | None = None
    citations: list[Citation] = field(default_factory=list)
    logprobs: list[Logprob] = field(default_factory=list)
    others: list[Choice] = field(default_factory=list)
    raw: Any = field(default=None, compare=False, repr=False)


def arguments(text):
    """A call's arguments; text that was cut off stays text."""
    try:
        return json.loads(text)
    except ValueError:
        return text

"""What a test asks, free of any dialect; each client says it in its SDK's words."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tool:
    """A function that the model may call."""

    name: str
    description: str
    schema: dict


@dataclass(frozen=True)
class Media:
    """An image or a sound, in base64."""

    kind: str
    data: str


@dataclass(frozen=True)
class Question:
    """A request. `model` chooses the upstream's dialect."""

    model: str
    text: str = "What is the weather?"
    tools: tuple[Tool, ...] = ()
    media: tuple[Media, ...] = ()
    choices: int | None = None
    logprobs: bool = False


WEATHER = Tool(
    "get_weather",
    "Tells the weather.",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "notes": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["city"],
    },
)
CLOCK = Tool("now", "Tells the time.", {"type": "object", "properties": {}})
TOOLS = (WEATHER, CLOCK)

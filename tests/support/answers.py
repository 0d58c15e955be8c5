"""Answers that a model could give, free of any dialect, and the scenarios made of them."""

from dataclasses import dataclass

from meaning import FILTER, LENGTH, STOP, TOOL, Call, Citation, Logprob, Usage


@dataclass(frozen=True)
class Thought:
    """Reasoning that the vendor shows, signed by it where it signs."""

    text: str
    signature: str | None = None


@dataclass(frozen=True)
class Text:
    """Words. `citations` and `logprobs` lie over them."""

    text: str
    citations: tuple[Citation, ...] = ()
    logprobs: tuple[Logprob, ...] = ()


@dataclass(frozen=True)
class Refusal:
    """The model's own words for not answering."""

    text: str


Part = Thought | Text | Refusal | Call


@dataclass(frozen=True)
class Answer:
    """What the model says, in order.

    `interleaved` lets a vendor that may do so send the pieces of several calls in turn. `others` are
    the texts of further choices.
    """

    parts: tuple[Part, ...] = ()
    finish: str = STOP
    usage: Usage = Usage(input=11, output=7)
    id: str = "answer1"
    interleaved: bool = False
    others: tuple[str, ...] = ()

    def of(self, kind):
        """Its parts of this kind."""
        return [part for part in self.parts if isinstance(part, kind)]

    @property
    def text(self):
        """All its words, refusals too: not every dialect keeps these apart."""
        return "".join(part.text for part in self.of((Text, Refusal)))

    @property
    def reasoning(self):
        """All its shown reasoning."""
        return "".join(part.text for part in self.of(Thought))


UNICODE = 'Grüße, 世界 👩‍🚀! "quoted" \\ back\tslash\nnew line  — ‮ <tag> & \u2028 end'
OSLO = Call("get_weather", {"city": "Oslo", "days": 2, "notes": ["a\"b", "ø"]}, "call_oslo1")
BERGEN = Call("get_weather", {"city": "Bergen"}, "call_bergen2")
NOW = Call("now", {}, "call_now3")
REASONED = "First I look.\n\nThen I think — twice."

TOKENS = (Logprob("Ja", -0.25), Logprob(",", -1.5), Logprob(" gewiß", -0.0078125))
CITED = "Die Brücke ist 120 m lang. Sie steht in Köln."
CITATIONS = (
    Citation("https://bridges.example/length", "Brücken", "Die Brücke ist 120 m lang."),
    Citation("https://towns.example/cologne", "Köln", "Sie steht in Köln."),
)

SCENARIOS = {
    "plain text": Answer((Text(UNICODE),)),
    "reasoning and text": Answer(
        (Thought(REASONED, "c2lnbmVk"), Text("It rains.")), usage=Usage(30, output=50, reasoning=40)
    ),
    "one tool call": Answer((Text("Let me look."), OSLO), TOOL),
    "only a tool call": Answer((OSLO,), TOOL),
    "parallel tool calls": Answer((OSLO, BERGEN, NOW), TOOL),
    "interleaved tool calls": Answer((OSLO, BERGEN), TOOL, interleaved=True),
    "tool call without arguments": Answer((NOW,), TOOL),
    "reasoning, text and tool call": Answer(
        (Thought(REASONED, "c2lnbmVk"), Text("Let me look."), BERGEN), TOOL
    ),
    "calls without ids": Answer((Call("now"), Call("now"), Call("get_weather", {"city": "Oslo"})), TOOL),
    "length stop": Answer((Text("It will be"),), LENGTH),
    "reasoning up to the limit": Answer((Thought("Hm, hm"),), LENGTH),
    "refusal": Answer((Refusal("I cannot help with that."),), FILTER),
    "filtered text": Answer((Text("Well, one could"),), FILTER),
    "usage in every bucket": Answer(
        (Text("Counted."),), usage=Usage(input=1020, cached=900, written=100, output=50, reasoning=20)
    ),
    "empty answer": Answer((), usage=Usage(input=9, output=0)),
}

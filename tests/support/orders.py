"""A model that does as it is told: the question itself says what the answer shall be.

`<<say TEXT>>` answers with the text, `<<think TEXT>>` reasons before it does, `<<look>>` tells what
pictures there are, and `<<call TOOL {…}>>` calls a tool that the request declares. Once a tool has
answered, the model repeats what it said. So a program that knows nothing of this vendor, a coding
agent above all, can be led through a whole turn.
"""

import dataclasses
import itertools
import json
import re

from answers import Answer, Text, Thought
from meaning import TOOL, Call, Usage
from vendors import ALL_VENDORS

ORDER = re.compile(r"<<(say|think|call|look) ?(.*?)>>", re.DOTALL)
NOTHING_SAID = "Ready."
USED = Usage(input=40, output=12)
NUMBERS = itertools.count(1)


def obey(dialect, request):
    """The answer that a request orders, under an id of its own as every vendor's."""
    return dataclasses.replace(ordered(dialect, request), id=f"answer{next(NUMBERS)}", usage=USED)


def ordered(dialect, request):
    """What it shall say."""
    vendor = ALL_VENDORS[dialect]
    seen = vendor.history(request)
    if seen.results:
        return Answer((Text(f"The tool said: {seen.results[-1][1].strip()}"),))
    orders = [order for text in seen.texts for order in ORDER.findall(text)]
    # Programs repeat what they were asked; the last word counts, thoughts go before it.
    thoughts = [Thought(text, "c2lnbmVk") for kind, text in orders if kind == "think"][-1:]
    said = [order for order in orders if order[0] != "think"][-1:]
    if not said:
        return Answer((*thoughts, Text(NOTHING_SAID)))
    [(kind, text)] = said
    if kind == "look":
        text = "; ".join(f"{media}, {len(data)} characters" for media, data in seen.images)
    if kind != "call":
        return Answer((*thoughts, Text(text)))
    name, arguments = text.split(" ", 1)
    offered = vendor.tools(request)
    if name not in offered:
        return Answer((Text(f"No tool is called {name}: {', '.join(offered)}"),))
    call = Call(name, json.loads(arguments), "call_ordered1")
    return Answer((*thoughts, call), TOOL)

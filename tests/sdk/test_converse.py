"""Amazon's Converse, which only upstreams speak, behind every SDK."""

import dataclasses

import pytest

from answers import SCENARIOS, Answer, Text
from clients import CLIENTS
from comparing import assert_understood, expected
from meaning import Call
from questions import TOOLS, Media, Question
from vendors import ALL_VENDORS

CONVERSE = ALL_VENDORS["converse"]
CASES = [
    pytest.param(client, mode, scenario, id=f"{client}-{mode}-{scenario}")
    for client, module in CLIENTS.items()
    for mode in module.MODES
    for scenario, answer in SCENARIOS.items()
    if (client != "completions" or not answer.of(Call)) and not answer.interleaved
]


@pytest.mark.parametrize(("client", "mode", "scenario"), CASES)
def test_an_sdk_understands_what_converse_meant(sdks, vendor, client, mode, scenario):
    answer = SCENARIOS[scenario]
    vendor.say("converse", answer)
    asked = Question("up-converse", tools=TOOLS if answer.of(Call) else ())
    got = CLIENTS[client].MODES[mode](sdks, asked)
    assert vendor.last.dialect == "converse"
    wanted = expected(answer, "converse", client)
    wanted.usage = dataclasses.replace(wanted.usage, reasoning=0)
    assert_understood(got, wanted)


@pytest.mark.parametrize("client", [name for name in CLIENTS if name != "completions"])
def test_a_turn_with_a_tool_goes_back_to_converse(sdks, vendor, client):
    module = CLIENTS[client]
    asked = Question("up-converse", "What is the weather?", tools=TOOLS)
    vendor.say("converse", SCENARIOS["only a tool call"])
    first = module.MODES["chat" if client == "generate" else "create"](sdks, asked)
    vendor.say("converse", Answer((Text("Cold."),)))
    assert module.send(sdks, module.follow_up(asked, first, ["4 °C"])).text == "Cold."
    seen = CONVERSE.history(vendor.last.request)
    [(id, name, arguments)] = seen.calls
    assert (name, arguments) == ("get_weather", SCENARIOS["only a tool call"].of(Call)[0].arguments)
    assert seen.results == [(id, "4 °C")]
    assert CONVERSE.tools(vendor.last.request) == [tool.name for tool in TOOLS]


@pytest.mark.parametrize("client", [name for name in CLIENTS if name != "completions"])
def test_an_image_reaches_converse(sdks, vendor, client):
    vendor.say("converse", Answer((Text("A pixel."),)))
    picture = Media("image/png", "iVBORw0KGgo=")
    CLIENTS[client].MODES["create"](sdks, Question("up-converse", media=(picture,)))
    assert CONVERSE.history(vendor.last.request).images == [(picture.kind, picture.data)]

"""Every scenario, from every vendor, through every SDK, whole and streamed in each way it has.

What an SDK understands must be what the vendor meant, and a stream must come to the same as the
whole answer.
"""

import pytest

from answers import SCENARIOS
from clients import CLIENTS
from comparing import assert_understood, expected, without_ids
from meaning import Call
from questions import TOOLS, Question
from vendors import VENDORS

WAYS = [(client, mode) for client, module in CLIENTS.items() for mode in module.MODES]
STREAMED = ("iterate", "helper", "chat stream")
CASES = [
    pytest.param(client, mode, upstream, scenario, id=f"{client}-{mode}-{upstream}-{scenario}")
    for client, mode in WAYS
    for upstream in VENDORS
    for scenario, answer in SCENARIOS.items()
    if client != "completions" or not answer.of(Call)
]
OWN_WAYS = [(client, mode) for client, mode in WAYS if client in VENDORS]


def question(upstream, answer):
    """A question that may lead to this answer."""
    return Question(f"up-{upstream}", tools=TOOLS if answer.of(Call) else ())


@pytest.fixture(scope="module")
def wholes():
    """Whole answers as clients understood them, by client, vendor and scenario."""
    return {}


@pytest.mark.parametrize(("client", "mode", "upstream", "scenario"), CASES)
def test_an_sdk_understands_what_the_vendor_meant(sdks, vendor, wholes, client, mode, upstream, scenario):
    answer = SCENARIOS[scenario]
    vendor.say(upstream, answer)
    modes = CLIENTS[client].MODES
    asked = question(upstream, answer)
    got = modes[mode](sdks, asked)
    assert vendor.last.dialect == upstream
    assert vendor.last.streamed == (mode in STREAMED)
    assert_understood(got, expected(answer, upstream, client))
    place = (client, upstream, scenario)
    if place not in wholes:
        wholes[place] = modes["create"](sdks, asked)
    whole = wholes[place]
    if client == upstream == "generate":
        # Their own vendor's whole answers stay without ids, its streams get them.
        got, whole = without_ids(got), without_ids(whole)
    assert got == whole


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize(("client", "mode"), OWN_WAYS, ids=["-".join(way) for way in OWN_WAYS])
def test_the_scripted_vendor_speaks_as_its_sdk_expects(direct_sdks, vendor, client, mode, scenario):
    """Without a gateway between them: what the other tests compare with is worth comparing with."""
    answer = SCENARIOS[scenario]
    vendor.say(client, answer)
    got = CLIENTS[client].MODES[mode](direct_sdks, question(client, answer))
    assert_understood(got, expected(answer, client, client))

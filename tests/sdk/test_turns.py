"""A second turn: what an SDK has understood goes back as history, in the SDK's own types.

The vendor must get its own signatures back, whatever dialect the client speaks; another vendor must
see nothing of them; and every result must find its call.
"""

import json

import pytest

from answers import BERGEN, OSLO, REASONED, Answer, Text, Thought
from clients import CLIENTS
from meaning import TOOL
from questions import TOOLS, Question
from vendors import VENDORS

# Base64 whose URL-safe spelling differs, since one SDK writes that.
SIGNATURE = "+//+c2lnbmVk"
FIRST = Answer((Thought(REASONED, SIGNATURE), Text("Let me look."), OSLO, BERGEN), TOOL)
RESULTS = ["4 °C", "7 °C"]
WAYS = [
    ("chat", "create"),
    ("chat", "helper"),
    ("messages", "create"),
    ("messages", "helper"),
    ("responses", "create"),
    ("responses", "helper"),
    ("generate", "chat"),
    ("generate", "chat stream"),
]
WAY_IDS = ["-".join(way) for way in WAYS]
# Chat-completions vendors sign nothing.
SIGNERS = ["messages", "generate", "responses"]
STRANGERS = [(signer, vendor) for signer in SIGNERS for vendor in VENDORS if vendor != signer]


def second_request(sdks, vendor, way, upstream, following):
    """Asks twice; gives what the second vendor was asked."""
    client, mode = CLIENTS[way[0]], way[1]
    vendor.say(upstream, FIRST)
    first = client.MODES[mode](sdks, Question(f"up-{upstream}", tools=TOOLS))
    assert len(first.calls) == 2
    vendor.say(following, Answer((Text("Cold."),)))
    asked = client.follow_up(Question(f"up-{following}", tools=TOOLS), first, RESULTS)
    assert client.send(sdks, asked).text == "Cold."
    return vendor.last.request


@pytest.mark.parametrize("following", VENDORS)
@pytest.mark.parametrize("upstream", VENDORS)
@pytest.mark.parametrize("way", WAYS, ids=WAY_IDS)
def test_calls_and_results_find_each_other_in_the_next_turn(sdks, vendor, way, upstream, following):
    request = second_request(sdks, vendor, way, upstream, following)
    seen = VENDORS[following].history(request)
    asked, *said = seen.texts
    assert (asked, "".join(said)) == ("What is the weather?", "Let me look.")
    # Most vendors refuse an empty text; only their own client may send them what they made.
    assert all(said) or way[0] == following
    assert [(name, arguments) for _, name, arguments in seen.calls] == [
        (OSLO.name, OSLO.arguments),
        (BERGEN.name, BERGEN.arguments),
    ]
    assert [text for _, text in seen.results] == RESULTS
    assert [id for id, _, _ in seen.calls] == [id for id, _ in seen.results]
    assert all(len(id) <= 40 for id, _ in seen.results)


@pytest.mark.parametrize("upstream", SIGNERS)
@pytest.mark.parametrize("way", WAYS, ids=WAY_IDS)
def test_a_signature_returns_to_its_vendor(sdks, vendor, way, upstream):
    request = second_request(sdks, vendor, way, upstream, upstream)
    seen = VENDORS[upstream].history(request)
    signatures = [one.replace("-", "+").replace("_", "/") for one in seen.signatures]
    assert signatures == [SIGNATURE]
    if upstream != "generate":
        assert seen.thoughts == [REASONED]


@pytest.mark.parametrize(("upstream", "following"), STRANGERS)
@pytest.mark.parametrize("way", WAYS, ids=WAY_IDS)
def test_a_signature_never_reaches_another_vendor(sdks, vendor, way, upstream, following):
    request = second_request(sdks, vendor, way, upstream, following)
    sent = json.dumps(request)
    for trace in (SIGNATURE, SIGNATURE.replace("+", "-").replace("/", "_"), "Z3cx", "__thought__"):
        assert trace not in sent
    if not way[0] == following == "generate":
        # Only a client of its own dialect hands it thoughts, which it takes without a signature.
        assert VENDORS[following].history(request).thoughts == []

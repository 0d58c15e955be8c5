"""Every recorded stream, read by every SDK, beside the whole answer that it comes to.

Recordings are not part of the repository; where there are none, the run says so.
"""

import dataclasses
import json

import pytest

from clients import CLIENTS
from comparing import without_ids, without_signatures
from questions import Question
from recorded import recordings, whole

FOUND = recordings()
STREAMED = {
    "chat": "helper",
    "messages": "helper",
    "generate": "chat stream",
    "responses": "helper",
    "completions": "iterate",
}


def plain(call):
    """A call's name and arguments; free text that had to be wrapped counts as that text."""
    arguments = call.arguments
    if isinstance(arguments, dict) and list(arguments) == ["input"] and isinstance(arguments["input"], str):
        arguments = arguments["input"]
    return call.name, json.dumps(arguments, sort_keys=True)


def essence(meaning, client):
    """What has to be the same, as far as this client's dialect has words for it."""
    if client == "completions":
        return meaning.text, meaning.finish.replace("tool", "stop")
    return meaning.text, [plain(call) for call in meaning.calls], meaning.finish


def counts(usage):
    """What every dialect counts."""
    return usage.input, usage.cached, usage.output


@pytest.fixture(scope="module")
def known():
    """What was found out about recordings already."""
    return {}


def vendors_own(recording, sdks, vendor, known):
    """What the vendor's own SDK understands of the stream, and the whole answer that it comes to."""
    if recording not in known:
        vendor.play(stream=recording.frames())
        dialect = recording.dialect
        meant = CLIENTS[dialect].MODES[STREAMED[dialect]](sdks, Question(f"up-{dialect}"))
        known[recording] = meant, whole(recording, sdks)
    return known[recording]


@pytest.mark.parametrize("recording", FOUND, ids=lambda one: f"{one.dialect}-{one.name}")
@pytest.mark.parametrize("client", CLIENTS)
def test_a_recorded_stream_means_what_its_vendor_meant(
    untyped, direct_untyped, vendor, known, recording, client
):
    meant, body = vendors_own(recording, direct_untyped, vendor, known)
    vendor.play(body, recording.frames())
    modes, mode = CLIENTS[client].MODES, STREAMED[client]
    if client == "chat" and recording.has_free_text_calls():
        mode = "iterate"  # The SDK's helper breaks on these calls, its vendor's own too.
    question = Question(f"up-{recording.dialect}")
    streamed = modes[mode](untyped, question)
    assert essence(streamed, client) == essence(meant, client)
    if meant.usage:
        assert counts(streamed.usage) == counts(meant.usage)
    complete = modes["create"](untyped, question)
    if client == recording.dialect == "generate":
        # Their own vendor's whole answers stay without ids, its streams get them.
        streamed, complete = without_ids(streamed), without_ids(complete)
    if not meant.usage:
        # Where the vendor counted nothing, a stream may stay silent.
        streamed, complete = (dataclasses.replace(one, usage=None) for one in (streamed, complete))
    # A vendor puts the same thought into another cipher each time that it tells of it.
    assert without_signatures(streamed) == without_signatures(complete)

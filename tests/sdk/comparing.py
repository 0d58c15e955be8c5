"""What a client should understand of an answer, and how that is compared with what it did."""

import dataclasses
import re

from meaning import Call, Meaning

LEGAL_ID = "[A-Za-z0-9_-]{1,64}"


def expected(answer, upstream, client):
    """What a client should understand, as far as both dialects have words for it."""
    used = answer.usage
    if "generate" in (upstream, client):
        used = dataclasses.replace(used, written=0)
    return Meaning(
        text=answer.text,
        reasoning="" if client == "completions" else answer.reasoning,
        calls=answer.of(Call),
        finish=answer.finish,
        usage=used,
    )


def without_signature(call):
    """Chat call ids may carry a signature, since chat has no other place for it."""
    return dataclasses.replace(call, id=call.id and re.sub("__thought__.*", "", call.id))


def assert_understood(got, wanted):
    """Compares all there is; where the vendor gave no ids, made-up ones must be legal and unique."""
    calls = without_signatures(got).calls
    ids = [call.id for call in calls if call.id]
    assert len(set(ids)) == len(ids) and all(re.fullmatch(LEGAL_ID, id) for id in ids)
    if len(calls) == len(wanted.calls):
        pairs = zip(wanted.calls, calls)
        wanted.calls = [dataclasses.replace(one, id=one.id or mine.id) for one, mine in pairs]
    assert dataclasses.replace(got, calls=calls) == wanted


def without_signatures(meaning):
    """All but what rides on the ids of calls."""
    return dataclasses.replace(meaning, calls=[without_signature(call) for call in meaning.calls])


def without_ids(meaning):
    """All but the ids of calls."""
    return dataclasses.replace(meaning, calls=[dataclasses.replace(call, id=None) for call in meaning.calls])

"""Real coding agents through the gateway, offline: a plain prompt, and a turn with one tool call.

Each agent speaks its own dialect; the model's name chooses what the upstream speaks. Agents start
slowly, so two of them run at a time, ahead of the tests that look at what came of it.
"""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from agents import AGENTS, Place, run
from gateway import TOKEN
from vendors import VENDORS

AT_A_TIME = 2
CASES = [(agent, upstream, kind) for agent in AGENTS for upstream in VENDORS for kind in ("plain", "tool")]


def secret(agent, upstream, kind):
    """Words that only this run knows."""
    return f"swordfish of {agent}, {upstream}, {kind}"


def play(gateway, folder, agent, upstream, kind):
    """One run of an agent; gives what it printed."""
    place = Place(folder, gateway.url, TOKEN, f"up-{upstream}")
    place.workspace.mkdir(parents=True)
    words = secret(agent, upstream, kind)
    if kind == "plain":
        return run(AGENTS[agent], place, f"Please answer: <<say {words}>>")
    file = place.workspace / "notes.txt"
    file.write_text(f"{words}\n")
    wanted = json.dumps(AGENTS[agent].arguments(file))
    return run(AGENTS[agent], place, f"Please do: <<call {AGENTS[agent].tool} {wanted}>>")


@pytest.fixture(scope="session")
def runs(gateway, request, tmp_path_factory):
    """The runs of all tests that were chosen, on their way."""
    chosen = [item.callspec.params["case"] for item in request.session.items if hasattr(item, "callspec")]
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        yield {
            case: pool.submit(play, gateway, tmp_path_factory.mktemp("-".join(case)), *case) for case in chosen
        }


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_an_agent_completes_its_turn(runs, vendor, case):
    agent, upstream, kind = case
    printed = runs[case].result()
    words = secret(*case)
    assert words in printed
    speaker = VENDORS[upstream]
    calls = [asked.request for asked in vendor.asked if asked.dialect == upstream]
    seen = [speaker.history(request) for request in calls]
    if kind == "plain":
        assert any(words in text for one in seen for text in one.texts)
        return
    # The turn in which the tool's answer came back has the call and the answer, as a pair.
    [turn] = [one for one in seen if any(words in text for _, text in one.results)]
    [(id, _)] = turn.results
    assert [(name, call) for call, name, _ in turn.calls] == [(AGENTS[agent].tool, id)]

"""The workloads: what is asked, how often at once, and what of it a target has to be able to do."""

import json
from dataclasses import dataclass, replace

CHAT, MESSAGES = "/v1/chat/completions", "/v1/messages"
SENTENCE = "Say in a few words what this text is about, and keep every figure that it names. "
# Models that Modelgate and the other gateways know, each by the mock's switches behind it.
MODELS = {"gpt-4o-mini": "", "gpt-4o-flaky": "/errors=10", "gpt-4o-slow": "/pace=1000"}
STREAMS = 2_000


@dataclass(frozen=True)
class Workload:
    """One kind of load."""

    name: str
    text: str
    connections: int
    path: str = CHAT
    model: str = "gpt-4o-mini"
    is_stream: bool = False
    body_kb: int = 1
    # What nginx's figures it is compared with: a proxy cannot convert.
    reference: str = ""
    is_held: bool = False

    @property
    def switches(self):
        return MODELS[self.model]

    @property
    def converts(self):
        return self.path == MESSAGES

    def body(self):
        """The request, in as many turns of a conversation as its size needs."""
        room = self.body_kb * 1024 - 230
        count = max(1, room // 4096)
        turns = [{"role": "user" if number % 2 == 0 else "assistant",
                  "content": (SENTENCE * 60)[:room // count - 32]} for number in range(count)]
        body = {"model": self.model, "messages": turns, "max_tokens": 256, "temperature": 0.7}
        if self.converts:
            body["system"] = "You are brief."
        if self.is_stream:
            body["stream"] = True
            if not self.converts:
                body["stream_options"] = {"include_usage": True}
        return json.dumps(body, separators=(",", ":")).encode()


def named():
    """W1 to W6, by name."""
    chat = Workload("w1c64", "W1: chat, 1 KB", 64, reference="w1c64")
    stream = Workload("w2", "W2: chat stream of 68 events", 64, is_stream=True, reference="w2")
    all_of_them = [
        replace(chat, name="w1c1", connections=1, reference="w1c1"),
        chat,
        replace(chat, name="w1c256", connections=256, reference="w1c256"),
        replace(stream, name="w2c1", connections=1, reference="w2c1"),
        stream,
        replace(chat, name="w3", text="W3: chat, 200 KB", connections=16, body_kb=200,
                reference="w3"),
        replace(chat, name="w4", text="W4: messages on a chat upstream", path=MESSAGES),
        replace(stream, name="w4s", text="W4: messages stream on a chat upstream", path=MESSAGES),
        replace(stream, name="w5", text="W5: slow streams held open", connections=STREAMS,
                model="gpt-4o-slow", is_held=True, reference="w5"),
        replace(chat, name="w6", text="W6: chat, 10 % upstream errors, two channels",
                model="gpt-4o-flaky"),
    ]
    return {workload.name: workload for workload in all_of_them}


def of_concurrency(connections):
    name = f"c={connections}"
    return Workload(name, "Chat, 1 KB", connections, reference=name)


def of_size(body_kb):
    name = f"{body_kb} KB"
    return Workload(name, f"Chat, {name}", 16, body_kb=body_kb, reference=name)

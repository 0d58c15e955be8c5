"""A generate-content vendor."""

import json

from answers import Text, Thought
from meaning import FILTER, LENGTH, STOP, TOOL, Call
from vendors.wire import History, compact, pieces

PATH = r"/v1(beta)?/models/[^/:]+:(generateContent|streamGenerateContent)$"
FINISH = {STOP: "STOP", LENGTH: "MAX_TOKENS", TOOL: "STOP", FILTER: "SAFETY"}


def usage(answer):
    """The usage object: reasoning beside the visible answer."""
    used = answer.usage
    return {
        "promptTokenCount": used.input,
        "cachedContentTokenCount": used.cached,
        "candidatesTokenCount": used.output - used.reasoning,
        "thoughtsTokenCount": used.reasoning,
        "totalTokenCount": used.input + used.output,
    }


def grounding(answer):
    """All citations, counted in bytes of the text."""
    chunks, supports = [], []
    for part in answer.of(Text):
        for citation in part.citations:
            start = len(answer.text.partition(citation.cited)[0].encode())
            end = start + len(citation.cited.encode())
            segment = {"startIndex": start, "endIndex": end, "text": citation.cited}
            supports.append({"segment": segment, "groundingChunkIndices": [len(chunks)]})
            chunks.append({"web": {"uri": citation.url, "title": citation.title}})
    return {"groundingChunks": chunks, "groundingSupports": supports} if chunks else None


def logprobs(tokens):
    """Log probabilities of these tokens."""
    entries = [{"token": token.token, "logProbability": token.logprob} for token in tokens]
    return {"chosenCandidates": entries, "topCandidates": [{"candidates": [entry]} for entry in entries]}


def part_of(part):
    """A part in the vendor's words."""
    match part:
        case Call():
            call = {"name": part.name, "args": part.arguments}
            return {"functionCall": call | ({"id": part.id} if part.id else {})}
        case Thought():
            return {"text": part.text, "thought": True}
    return {"text": part.text}


def parts_of(answer):
    """All parts. This vendor signs the first call after its thoughts, else the last text."""
    parts = [part_of(part) for part in answer.parts]
    signature = next((part.signature for part in answer.of(Thought) if part.signature), None)
    if signature:
        calls = [part for part in parts if "functionCall" in part]
        bearer = calls[0] if calls else parts[-1]
        bearer["thoughtSignature"] = signature
    return parts


def piecewise(part, whole):
    """A part as it is streamed: calls whole, text in pieces, a text's signature last and alone."""
    if "functionCall" in whole:
        return [candidate([whole])]
    if isinstance(part, Text) and part.logprobs:
        return [candidate([{"text": one.token}], logprobsResult=logprobs([one])) for one in part.logprobs]
    plain = {key: value for key, value in whole.items() if key != "thoughtSignature"}
    out = [candidate([{**plain, "text": piece}]) for piece in pieces(part.text)]
    if "thoughtSignature" in whole:
        out.append(candidate([{**whole, "text": ""}]))
    return out


def response(answer, candidates):
    """The response's frame."""
    rest = {"modelVersion": "vendor-generate", "responseId": answer.id}
    return {"candidates": candidates, "usageMetadata": usage(answer), **rest}


def candidate(parts, index=0, **more):
    """One candidate."""
    return {"index": index, "content": {"role": "model", "parts": parts} if parts else {"role": "model"}, **more}


def ending(answer):
    """What the last chunk says of the first candidate."""
    notes = grounding(answer)
    return {"finishReason": FINISH[answer.finish]} | ({"groundingMetadata": notes} if notes else {})


def body(answer):
    """The whole answer."""
    tokens = [token for part in answer.of(Text) for token in part.logprobs]
    more = ending(answer) | ({"logprobsResult": logprobs(tokens)} if tokens else {})
    first = candidate(parts_of(answer), **more)
    others = [
        candidate([{"text": text}], index, finishReason="STOP") for index, text in enumerate(answer.others, 1)
    ]
    return response(answer, [first, *others])


def frame(data):
    """One frame; this vendor ends its lines as HTTP does, and escapes other line breaks."""
    text = compact(data).replace("\u2028", "\\u2028")
    return f"data: {text}\r\n\r\n".encode()


def frames(answer):
    """The answer as a stream."""
    candidates = []
    for part, whole in zip(answer.parts, parts_of(answer)):
        candidates += piecewise(part, whole)
    for index, text in enumerate(answer.others, 1):
        candidates += [candidate([{"text": piece}], index) for piece in pieces(text)]
    out = [frame(response(answer, [one])) for one in candidates]
    last = [candidate([{"text": ""}] if answer.parts else [], **ending(answer))]
    last += [candidate([{"text": ""}], at, finishReason="STOP") for at, _ in enumerate(answer.others, 1)]
    return [*out, frame(response(answer, last))]


STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}


def error(status, text):
    """A refused call."""
    return {"error": {"code": status, "message": text, "status": STATUS.get(status, "INTERNAL")}}


def error_frame(text):
    """A failure inside a stream."""
    return frame(error(503, text))


def history(request):
    """What the gateway has sent."""
    seen = History()
    for content in request["contents"]:
        for part in content["parts"]:
            if signature := part.get("thoughtSignature"):
                seen.signatures.append(signature)
            if part.get("thought"):
                seen.thoughts.append(part["text"])
            elif "text" in part:
                seen.texts.append(part["text"])
            elif call := part.get("functionCall"):
                seen.calls.append((call.get("id", call["name"]), call["name"], call.get("args", {})))
            elif result := part.get("functionResponse"):
                text = result["response"].get("output")
                text = text if isinstance(text, str) else json.dumps(result["response"])
                seen.results.append((result.get("id", result["name"]), text))
            elif media := part.get("inlineData"):
                # Its own SDK may write the older spelling, which its vendor takes.
                kind = media.get("mimeType") or media["mime_type"]
                kept = seen.audio if kind.startswith("audio/") else seen.images
                kept.append((kind, media["data"]))
    return seen


def schema(request):
    """The schema that the answer must fit."""
    config = request["generationConfig"]
    return config.get("responseJsonSchema") or config["responseSchema"]


def tools(request):
    """Names of the functions that may be called."""
    declared = [tool.get("functionDeclarations") or [] for tool in request.get("tools") or []]
    return [function["name"] for functions in declared for function in functions]

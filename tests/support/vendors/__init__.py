"""The four vendors, as far as a test needs them: each says an `Answer` in its own words.

Every module has `PATH` (a pattern of the path that calls come in on), `body(answer)`,
`frames(answer)`, `error(status, text)`, `error_frame(text)`, `history(request)` and `tools(request)`.
"""

from vendors import chat, converse, generate, messages, responses

# Those whose dialects clients speak as well.
VENDORS = {"chat": chat, "messages": messages, "generate": generate, "responses": responses}
# And one whose format is private to its provider.
ALL_VENDORS = VENDORS | {"converse": converse}

"""The table of references to vendor-kept state knows every member of the official SDKs' request types that may be one."""

import json
from pathlib import Path

from request_types import id_like

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "crates/dialects/src/vendor_state/table.json"
# Members of the SDKs that are no members of a request's body, each with the reason.
NOT_IN_BODIES = {
    ("generate_content", "http_options"): "an option of the SDK",
    ("generate_content", "auth_config"): "a secret of the caller for a service that it names",
}


def rules():
    """The rules by the name of the member."""
    found = {}
    for rule in json.loads(TABLE.read_text())["rules"]:
        found.setdefault(rule["field"], []).append(rule)
    return found


def rule_of(rules, surface, within, name):
    """The rules that may apply to a member; there are several if they depend on its value."""
    found = []
    for rule in rules.get(name, []):
        if surface not in rule.get("on", [surface]) or within not in rule.get("in", [within]):
            continue
        found.append(rule)
        if "value" not in rule:
            break
    return found


def is_known(rules, surface, path):
    """Whether the table says what a member is, or does not look at what is around it."""
    within = ""
    for name in path:
        found = rule_of(rules, surface, within, name)
        if any(rule["action"] in ("reject", "opaque") and "value" not in rule for rule in found):
            return True
        within = name
    return bool(found)


def test_every_member_that_may_be_an_id_is_in_the_table():
    known = rules()
    unknown = [
        f"{surface}: {'.'.join(path)}"
        for surface, path in id_like()
        if not is_known(known, surface, path) and not any((surface, name) in NOT_IN_BODIES for name in path)
    ]
    assert not unknown, "\n".join(unknown)


def test_the_walk_finds_the_members_that_are_known_to_be_ids():
    found = {(surface, path[-1]) for surface, path in id_like()}
    for surface, name in [("chat_completions", "file_id"), ("responses", "vector_store_ids"), ("realtime", "prompt"),
                          ("messages", "previous_message_id"), ("generate_content", "file_search_store_names"),
                          ("generate_content", "file_uri"), ("generate_content", "cached_content")]:
        assert (surface, name) in found, (surface, name)

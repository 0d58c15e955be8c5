#!/usr/bin/env python3
"""Checks the licence of every crate and npm package that is built in against deny.toml's list.

Works offline, from `cargo metadata` and the console's package-lock.json. deny.toml has cargo-deny's
form, so that tool can be used too.
"""

import json
import re
import subprocess
import sys
import tomllib


def host_triple() -> str:
    for line in subprocess.check_output(["rustc", "-vV"], text=True).splitlines():
        if line.startswith("host: "):
            return line.removeprefix("host: ")
    raise SystemExit("licences: rustc does not say its host")


def crates() -> list[dict]:
    command = ["cargo", "metadata", "--format-version", "1", "--filter-platform", host_triple()]
    metadata = json.loads(subprocess.check_output(command, text=True))
    built = {node["id"] for node in metadata["resolve"]["nodes"]}
    return [package for package in metadata["packages"] if package["id"] in built]


def npm_packages() -> list[dict]:
    """What ends up in the bundle: tools that only build or test it are not shipped."""
    with open("console/package-lock.json", encoding="utf-8") as file:
        entries = json.load(file)["packages"]
    return [
        {"name": path.rpartition("node_modules/")[2], "version": entry["version"], "license": entry.get("license")}
        for path, entry in entries.items()
        if path and not entry.get("dev")
    ]


class Expression:
    """An SPDX expression, read by recursive descent: OR < AND < one licence."""

    def __init__(self, text: str) -> None:
        # Old crates write "MIT/Apache-2.0" and mean OR.
        self.words = re.findall(r"[()]|[^\s()]+", text.replace("/", " OR "))

    def is_allowed(self, allowed: set[str]) -> bool:
        value = self.any_of(allowed)
        if self.words:
            raise ValueError(f"unexpected {self.words[0]!r}")
        return value

    def any_of(self, allowed: set[str]) -> bool:
        value = self.all_of(allowed)
        while self.take("OR"):
            other = self.all_of(allowed)
            value = value or other
        return value

    def all_of(self, allowed: set[str]) -> bool:
        value = self.one(allowed)
        while self.take("AND"):
            other = self.one(allowed)
            value = value and other
        return value

    def one(self, allowed: set[str]) -> bool:
        if self.take("("):
            value = self.any_of(allowed)
            if not self.take(")"):
                raise ValueError("missing ')'")
            return value
        if not self.words:
            raise ValueError("empty")
        name = self.words.pop(0)
        if self.take("WITH"):
            name = f"{name} WITH {self.words.pop(0)}"
        return name in allowed

    def take(self, word: str) -> bool:
        if self.words and self.words[0] == word:
            self.words.pop(0)
            return True
        return False


def refusal(package: dict, allowed: set[str], exceptions: dict[str, set[str]]) -> str | None:
    name, text = package["name"], package["license"]
    if text is None:
        return f"{name} {package['version']}: names no licence"
    try:
        if Expression(text).is_allowed(allowed | exceptions.get(name, set())):
            return None
    except ValueError as error:
        return f"{name} {package['version']}: cannot read {text!r}: {error}"
    return f"{name} {package['version']}: {text} is not allowed by deny.toml"


def main() -> int:
    with open("deny.toml", "rb") as file:
        rules = tomllib.load(file)["licenses"]
    allowed = set(rules["allow"])
    exceptions = {rule["crate"]: set(rule["allow"]) for rule in rules.get("exceptions", [])}
    found = crates() + npm_packages()
    refused = [line for package in found if (line := refusal(package, allowed, exceptions))]
    print("\n".join(refused) if refused else f"licences of {len(found)} dependencies are allowed")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Reads a test runner's own summary: tally.py RUNNER LOG prints "PASSED FAILED".

Runners: nextest, cargo, vitest, playwright, pytest, node. Tests that timed out, broke before they ran or
were cut off count as failed; skipped ones count as neither. A log without a summary gives "0 0":
what that means is the caller's decision.
"""

import re
import sys

COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def total(text: str, *words: str) -> int:
    """The sum of the numbers that stand before any of the words."""
    return sum(int(number) for number in re.findall(rf"(\d+) (?:{'|'.join(words)})\b", text))


def nextest(log: str) -> tuple[int, int]:
    # Summary [   1.2s] 12 tests run: 9 passed (1 slow), 2 failed, 1 timed out, 3 skipped
    lines = re.findall(r"^\s*Summary \[.*?\].*?\brun: (.*)$", log, re.MULTILINE)
    text = "\n".join(lines)
    # "exec failed" ends in "failed" as well, but no number stands right before that word.
    return total(text, "passed"), total(text, "failed", "timed out", "exec failed")


def cargo(log: str) -> tuple[int, int]:
    # test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
    text = "\n".join(re.findall(r"^test result: (.*)$", log, re.MULTILINE))
    return total(text, "passed"), total(text, "failed")


def vitest(log: str) -> tuple[int, int]:
    #       Tests  1 failed | 12 passed | 2 skipped (15)
    text = "\n".join(re.findall(r"^\s*Tests  (.*)$", log, re.MULTILINE))
    return total(text, "passed"), total(text, "failed")


def playwright(log: str) -> tuple[int, int]:
    # Each count on a line of its own:  "  1 failed", "  1 flaky", "  4 did not run", "  7 passed (12.3s)"
    lines = re.findall(r"^  (\d+ (?:\w+|did not run))(?: \([\d.]+\w+\))?$", log, re.MULTILINE)
    text = "\n".join(lines)
    return total(text, "passed", "flaky"), total(text, "failed", "interrupted", "did not run")


def pytest(log: str) -> tuple[int, int]:
    # ===== 1 failed, 3 passed, 1 error in 0.12s =====   (without the rules when quiet)
    lines = re.findall(r"^=*\s*(\d+ \w+(?:, \d+ \w+)*) in [\d.]+s.*$", log, re.MULTILINE)
    text = "\n".join(lines)
    return total(text, "passed", "xfailed"), total(text, "failed", "errors?", "xpassed")


def node(log: str) -> tuple[int, int]:
    # Each count on a line of its own:  "ℹ pass 12", "ℹ fail 1", "ℹ cancelled 0"
    counts = re.findall(r"^(?:ℹ|#) (pass|fail|cancelled) (\d+)$", log, re.MULTILINE)
    passed = sum(int(number) for word, number in counts if word == "pass")
    return passed, sum(int(number) for word, number in counts if word != "pass")


RUNNERS = {
    "nextest": nextest,
    "cargo": cargo,
    "vitest": vitest,
    "playwright": playwright,
    "pytest": pytest,
    "node": node,
}


def main() -> int:
    runner, path = sys.argv[1:]
    with open(path, encoding="utf-8", errors="replace") as file:
        log = COLOUR.sub("", file.read())
    print(*RUNNERS[runner](log))
    return 0


if __name__ == "__main__":
    sys.exit(main())

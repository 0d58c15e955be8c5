#!/usr/bin/env python3
"""Finds dependencies that a crate of the workspace declares and never names in its code, and those that
the workspace declares and no crate takes.

A crate that is needed without being named (for a feature that it turns on elsewhere) is listed
with its reason under [package.metadata.unused-dependencies] of the crate that declares it.
"""

import json
import pathlib
import re
import subprocess
import sys
import tomllib


def workspace() -> dict:
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps"]
    return json.loads(subprocess.check_output(command, text=True))


def sources(folder: pathlib.Path, parts: list[str]) -> str:
    files = [path for part in parts for path in sorted((folder / part).rglob("*.rs"))]
    build = folder / "build.rs"
    text = "\n".join(path.read_text() for path in files + ([build] if build.exists() else []))
    return re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)


def names(code: str, dependency: str) -> bool:
    word = re.escape(dependency.replace("-", "_"))
    return re.search(rf"\b{word}::|\b(?:use|extern crate) {word}\b", code) is not None


def unused(package: dict) -> list[str]:
    folder = pathlib.Path(package["manifest_path"]).parent
    everywhere = sources(folder, ["src", "tests", "benches", "examples"])
    excused = (package["metadata"] or {}).get("unused-dependencies", {})
    found = []
    for dependency in package["dependencies"]:
        name = dependency["rename"] or dependency["name"]
        is_named = names(everywhere, name)
        if is_named and name in excused:
            found.append(f"{package['name']}: {name} is excused as unused, but it is named")
        if not is_named and name not in excused:
            found.append(f"{package['name']}: {name} is declared and never used")
    return found


def untaken(root: pathlib.Path, packages: list[dict]) -> list[str]:
    declared = tomllib.loads((root / "Cargo.toml").read_text())["workspace"]["dependencies"]
    taken = {
        dependency["rename"] or dependency["name"] for package in packages for dependency in package["dependencies"]
    }
    return [f"workspace: {name} is declared and no crate takes it" for name in declared if name not in taken]


def main() -> int:
    metadata = workspace()
    packages = metadata["packages"]
    found = [line for package in packages for line in unused(package)]
    found += untaken(pathlib.Path(metadata["workspace_root"]), packages)
    print("\n".join(found) if found else f"dependencies of {len(packages)} crates are all used")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""The programs that a run needs: built where they are ours, looked for where they are not."""

import os
import shutil
import subprocess

from places import ROOT, TOOLS


def tools():
    """Builds the mock and the load generator; the folder that holds them."""
    target = TOOLS / "target"
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    command = ["cargo", "build", "--quiet", "--release", "--locked"]
    subprocess.run(command, cwd=TOOLS, env=environment, check=True)
    return target / "release"


def modelgate(given):
    """The release binary: the given one, else built here."""
    if given:
        return given
    subprocess.run([ROOT / "scripts" / "build"], check=True)
    return str(ROOT / "target" / "release" / "modelgate")


def find(name):
    """A system program, also where the path of an ordinary user does not lead."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"
    return shutil.which(name, path=path)

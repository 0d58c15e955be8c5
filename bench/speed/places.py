"""Where things are: the repository, what a run writes, what peers are installed into."""

import pathlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OUT = ROOT / "bench" / "out"
PEERS = ROOT / ".cache" / "bench"
TOOLS = HERE / "tools"

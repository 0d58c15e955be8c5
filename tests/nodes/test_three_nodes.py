"""The short form of three_nodes.py: everything once, nothing measured for long."""

from three_nodes import run


def test_three_nodes_obey_edits_and_lose_nothing_whatever_breaks():
    """Edits within a second, no stream cut by a rolling restart, every charge made once."""
    tally = run(pause=2.5, seconds=0, rounds=2)
    assert len(tally.whole) > 100 and len(tally.whole_streams) > 5

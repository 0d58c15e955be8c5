"""What tests of deployments stand on: a program that trusts a proxy on this machine."""

import pytest

from program import Program


@pytest.fixture
def server(tmp_path):
    """It, set up and running."""
    server = Program(tmp_path, {"MODELGATE_SERVER__TRUSTED_PROXIES": "127.0.0.1"})
    server.set_up()
    server.start()
    yield server
    server.stop()

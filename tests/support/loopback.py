"""What tests wait for on this machine: addresses that answer, ports that nobody listens on."""

import socket
import time
import urllib.request

PATIENCE_S = 30
# Without a proxy of whoever runs the tests.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def free_port():
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def answers(url):
    """Whether an address answers with success."""
    try:
        with DIRECT.open(url, timeout=2):
            return True
    except OSError:
        return False


def is_free(port):
    """Whether nobody listens on a port."""
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) != 0


def wait_until(is_true, what, patience_s=PATIENCE_S):
    """Waits for something to become true."""
    end = time.monotonic() + patience_s
    while not is_true():
        if time.monotonic() > end:
            raise TimeoutError(f"waited in vain until {what}")
        time.sleep(0.02)

"""Runs a command beside a gateway whose vendor obeys orders: with_gateway.py COMMAND…

The command finds the gateway's address in `MODELGATE_TEST_URL` and a token in `MODELGATE_TEST_TOKEN`.
"""

import os
import subprocess
import sys

from gateway import TOKEN, Gateway
from orders import obey
from vendor import Vendor


def main(command):
    """Runs the command and gives its exit status."""
    vendor = Vendor()
    vendor.follow(obey)
    gateway = Gateway(vendor.address)
    try:
        surroundings = {"MODELGATE_TEST_URL": gateway.url, "MODELGATE_TEST_TOKEN": TOKEN}
        return subprocess.run(command, env=os.environ | surroundings, check=False).returncode
    finally:
        gateway.close()
        vendor.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

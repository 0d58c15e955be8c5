"""What the agents' tests stand on: one gateway in front of a vendor that obeys orders."""

import pytest

from gateway import Gateway
from orders import obey
from vendor import Vendor


@pytest.fixture(scope="session")
def vendor():
    """The vendor; it answers each prompt as that prompt says."""
    vendor = Vendor()
    vendor.follow(obey)
    yield vendor
    vendor.close()


@pytest.fixture(scope="session")
def gateway(vendor):
    """The gateway in front of it."""
    gateway = Gateway(vendor.address)
    yield gateway
    gateway.close()

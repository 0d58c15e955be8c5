"""Fixtures of the hostile tests: one gateway with priced models in front of one scripted vendor."""

import pytest

from client import Session
from gateway import Gateway
from vendor import Vendor
from vendors import ALL_VENDORS

# One dollar per million input tokens, ten per million output tokens.
PRICE = """
[[prices]]
model = "up-{dialect}"
input = "1"
output = "10"
"""
FAILING = 32


@pytest.fixture(scope="session")
def one_vendor():
    """The scripted vendor of this run."""
    vendor = Vendor()
    yield vendor
    vendor.close()


@pytest.fixture
def vendor(one_vendor):
    """The scripted vendor, without a script."""
    one_vendor.play(b"{}", status=500)
    return one_vendor


@pytest.fixture(scope="session")
def gateway(one_vendor):
    """The gateway in front of the vendor."""
    prices = "".join(PRICE.format(dialect=dialect) for dialect in ALL_VENDORS)
    gateway = Gateway(one_vendor.address, FAILING, prices)
    yield gateway
    gateway.close()


@pytest.fixture(scope="session")
def root(gateway):
    """A login session of the root user."""
    return Session(gateway.port)

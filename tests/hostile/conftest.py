"""Fixtures of the hostile tests: one gateway with priced models in front of one scripted vendor."""

import pytest

from client import Session
from gateway import Gateway, channel
from raw_vendor import RawVendor
from vendor import Vendor
from vendors import ALL_VENDORS

# One dollar per million input tokens, ten per million output tokens.
PRICE = """
[[prices]]
model = "{model}"
input = "1"
output = "10"
"""
FAILING = 64
# Models whose channels lead to the raw vendor, each with a channel of its own.
RAW = {dialect: [f"raw-{dialect}-{number}" for number in range(16)] for dialect in ("chat", "messages")}


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
def raw_vendor():
    """The vendor that answers with bytes."""
    vendor = RawVendor()
    yield vendor
    vendor.close()


@pytest.fixture(scope="session")
def raw_models():
    """The next model of a dialect whose channel no other test uses."""
    left = {dialect: iter(models) for dialect, models in RAW.items()}
    return lambda dialect="chat": next(left[dialect])


@pytest.fixture(scope="session")
def gateway(one_vendor, raw_vendor):
    """The gateway in front of the vendors."""
    extra = "".join(PRICE.format(model=f"up-{dialect}") for dialect in ALL_VENDORS)
    for dialect, models in RAW.items():
        for model in models:
            extra += channel(model, dialect, raw_vendor.address, [model]) + PRICE.format(model=model)
    gateway = Gateway(one_vendor.address, FAILING, extra)
    yield gateway
    gateway.close()


@pytest.fixture(scope="session")
def root(gateway):
    """A login session of the root user."""
    return Session(gateway.port)

"""What every test stands on: one gateway, one scripted vendor, and the vendors' SDKs pointed at them.

The SDKs read many environment variables, and so do the HTTP libraries below them. All of these are
taken away before the SDKs are imported, so that nothing but loopback is ever called.
"""

import os

UNWANTED = ("OPENAI_", "ANTHROPIC_", "CO_API_", "COHERE_", "GOOGLE_", "GEMINI_", "AZURE_", "AWS_", "OTEL_")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
for name in list(os.environ):
    if name.startswith(UNWANTED) or name in PROXIES:
        del os.environ[name]
os.environ["OTEL_SDK_DISABLED"] = "true"

import pytest  # noqa: E402

from gateway import FAILING, Gateway  # noqa: E402
from recorded import folder, recordings  # noqa: E402
from sdks import Sdks  # noqa: E402
from vendor import Vendor  # noqa: E402


def pytest_terminal_summary(terminalreporter):
    """Says what was left out."""
    if not recordings():
        terminalreporter.write_line(f"No recorded traffic at {folder()}: its tests were left out.")


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
    gateway = Gateway(one_vendor.address, FAILING)
    yield gateway
    gateway.close()


@pytest.fixture(scope="session")
def sdks(gateway):
    """The SDKs behind the gateway."""
    return Sdks(gateway.url)


@pytest.fixture(scope="session")
def direct_sdks(one_vendor):
    """The SDKs without a gateway, to see that the scripted vendor speaks as its SDK expects."""
    return Sdks(f"http://{one_vendor.address}")


@pytest.fixture(scope="session")
def untyped(gateway):
    """The SDKs behind the gateway as programs use them, without a check of types: real vendors do
    not keep to these."""
    return Sdks(gateway.url, checked=False)


@pytest.fixture(scope="session")
def direct_untyped(one_vendor):
    """The same without a gateway."""
    return Sdks(f"http://{one_vendor.address}", checked=False)

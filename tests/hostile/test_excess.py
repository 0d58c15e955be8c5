"""Usage beyond a reservation, and balances that are lowered while a node holds a lease."""

import time

import pytest
from client import Session, call
from program import PASSWORD

QUOTA_PER_DOLLAR = 500_000
TEN_CENTS = QUOTA_PER_DOLLAR // 10
ONE_CENT = QUOTA_PER_DOLLAR // 100
PATIENCE_S = 20
BODY = {"model": "up-chat", "max_completion_tokens": 1000, "messages": [{"role": "user", "content": "Hello"}]}


class Customer:
    """A user with a token and an amount of quota units."""

    def __init__(self, root, name, quota):
        fields = {"username": name, "password": PASSWORD, "quota": quota}
        self.root = root
        self.id = root.data("POST", "/api/user/", fields)["id"]
        self.session = Session(root.port, name)
        self.token = self.session.data("POST", "/api/token/", {"name": "calls"})["key"]

    def call(self, **fields):
        """Makes a chat call."""
        return call(self.root.port, "chat", BODY | fields, token=self.token)

    def record(self):
        """The user as an administrator sees it."""
        return self.root.data("GET", f"/api/user/{self.id}")

    def newest_call(self):
        """The newest row of the log; written shortly after the response."""
        return eventually(lambda: self.root.data("GET", f"/api/log/?user_id={self.id}")["items"])[0]


def eventually(look):
    """Returns the first result that is not empty."""
    until = time.monotonic() + PATIENCE_S
    while not (found := look()):
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)
    return found


def play(vendor, output_tokens):
    """Lets the vendor report this many output tokens."""
    usage = {"prompt_tokens": 10, "completion_tokens": output_tokens, "total_tokens": 10 + output_tokens}
    choice = {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
    vendor.play({"id": "c", "object": "chat.completion", "created": 1, "model": "up-chat", "choices": [choice], "usage": usage})


def incident_about(root, request_id):
    """The incident whose newest call is this one."""
    found = root.data("GET", "/api/incident/?rule=reservation_exceeded&state=open")["items"]
    return next((one for one in found if one["facts"]["request_id"] == request_id), None)


def test_usage_beyond_a_reservation_is_charged_and_the_rest_is_a_loss(gateway, vendor, root):
    customer = Customer(root, "dear", TEN_CENTS)
    # 1 cent at most was allowed; the vendor reports 1 dollar.
    play(vendor, 100_000)
    assert customer.call().status == 200
    row = customer.newest_call()
    assert row["charge_usd"] == "0.1"
    assert row["loss_usd"] == "0.90001"
    assert row["price_lines"][-1]["kind"] == "not_covered"
    record = customer.record()
    assert (record["quota"], record["owed_usd"]) == (0, "0")
    assert customer.call().status == 402
    incident = eventually(lambda: incident_about(root, row["request_id"]))
    assert (incident["state"], incident["model"]) == ("open", "up-chat")
    assert incident["facts"]["calls"] >= 1
    gateway.run("ledger", "verify")


def test_an_excess_that_the_wallet_can_pay_is_no_loss(gateway, vendor, root):
    customer = Customer(root, "solvent", 20 * TEN_CENTS)
    play(vendor, 100_000)
    assert customer.call().status == 200
    row = customer.newest_call()
    assert (row["charge_usd"], row["loss_usd"]) == ("1.00001", None)
    assert customer.record()["quota_usd"] == "0.99999"
    gateway.run("ledger", "verify")


def put_quota(root, customer):
    """Sets the balance."""
    return root.data("PUT", "/api/user/", {"id": customer.id, "quota": ONE_CENT})


def take_quota(root, customer):
    """Takes a part of the balance."""
    taken = ONE_CENT - customer.record()["quota"]
    return root.data("POST", "/api/user/manage", {"id": customer.id, "action": "add_quota", "value": taken})


@pytest.mark.parametrize("lower", [put_quota, take_quota])
def test_a_lowered_balance_holds_for_the_next_call(gateway, vendor, root, lower):
    customer = Customer(root, lower.__name__.replace("_", "-"), 100 * TEN_CENTS)
    play(vendor, 100)
    # The node leases a part of the balance.
    assert customer.call().status == 200
    customer.newest_call()
    lowered = lower(root, customer)
    assert (lowered["quota"], lowered["owed_usd"], lowered["reserved_usd"]) == (ONE_CENT, "0", "0")
    # Ten cents at most.
    play(vendor, 10_000)
    assert customer.call(max_completion_tokens=10_000, n=1).status in (200, 402)
    record = customer.record()
    assert record["owed_usd"] == "0"
    asked = vendor.asked
    assert all(one.request["max_completion_tokens"] <= 1000 for one in asked), "more than one cent was allowed"
    gateway.run("ledger", "verify")


def test_a_disabled_user_holds_no_lease(vendor, root):
    customer = Customer(root, "disabled", 100 * TEN_CENTS)
    play(vendor, 100)
    assert customer.call().status == 200
    customer.newest_call()
    disabled = root.data("POST", "/api/user/manage", {"id": customer.id, "action": "disable"})
    assert disabled["reserved_usd"] == "0"
    assert customer.call().status == 401


def test_a_lowered_budget_holds_for_the_next_call(vendor, root):
    customer = Customer(root, "budgeted", 100 * TEN_CENTS)
    session = customer.session
    made = session.data("POST", "/api/token/", {"name": "daily", "budget_daily": 50 * TEN_CENTS})
    customer.token = made["key"]
    play(vendor, 100)
    assert customer.call().status == 200
    session.data("PUT", "/api/token/", {"id": made["id"], "budget_daily": 100})
    assert customer.call(max_completion_tokens=10_000).status == 402

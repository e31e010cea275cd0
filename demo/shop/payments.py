"""Taking money, through a gateway that says no now and then."""

import logging
import threading
import time
from typing import Any

import sentry_sdk

logger = logging.getLogger("shop.payments")


class GatewayRefusalError(Exception):
    """What the gateway's client raises."""

    def __init__(self, reason: str, card_suffix: str) -> None:
        super().__init__(f"{reason} (card …{card_suffix})")
        self.reason = reason


class PaymentDeclinedError(Exception):
    """A payment the shop could not take."""

    def __init__(self, order: str, reason: str) -> None:
        super().__init__(f"Payment of order {order} was declined: {reason}")
        self.order = order
        self.reason = reason


REFUSALS = {"0002": "insufficient_funds", "0069": "expired_card", "0119": "processing_error"}


def pay(order: str, card_number: str, amount_cents: int, name: str) -> dict[str, Any]:
    """Charge a card and send the invoice; the receipt."""
    sentry_sdk.add_breadcrumb(category="ui", message=f"order {order} placed")
    sentry_sdk.set_context("order", {"order": order, "amount_cents": amount_cents})
    try:
        receipt = charge(card_number, amount_cents)
    except GatewayRefusalError as error:
        raise PaymentDeclinedError(order, error.reason) from error
    if amount_cents > 200_000:
        logger.error("Ledger and gateway differ by %s cents", amount_cents % 97, extra={"order": order})
    threading.Thread(target=send_invoice, args=(order, name), name="invoice").start()
    return receipt


def charge(card_number: str, amount_cents: int) -> dict[str, Any]:
    with sentry_sdk.start_span(op="http.client", name="POST https://gateway.example/charges"):
        time.sleep(0.12)
    suffix = card_number[-4:]
    sentry_sdk.add_breadcrumb(
        category="http", message="POST https://gateway.example/charges", data={"amount_cents": amount_cents}
    )
    if suffix in REFUSALS:
        raise GatewayRefusalError(REFUSALS[suffix], suffix)
    return {"status": "paid", "amount_cents": amount_cents}


def send_invoice(order: str, name: str) -> bytes:
    """The invoice's file name, which an old mail server wants in ASCII."""
    time.sleep(0.05)
    return f"invoice-{order}-{name}.pdf".encode("ascii")

"""What the shop's pages ask for."""

import json
import secrets
import time
from typing import Annotated, Any

import sentry_sdk
from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from sentry_sdk import logger

from demo.shop import catalogue, coupons, payments, recommendations, stock, tax
from demo.shop.carts import Carts
from demo.shop.visitors import Visitor, visitor_of

router = APIRouter(prefix="/api")

SignedIn = Annotated[Visitor | None, Depends(visitor_of)]


def carts_of(request: Request) -> Carts:
    carts: Carts = request.app.state.carts
    return carts


def cart_id_of(request: Request) -> str:
    return request.cookies.get("cart", "")


AllCarts = Annotated[Carts, Depends(carts_of)]
CartId = Annotated[str, Depends(cart_id_of)]


class Addition(BaseModel):
    sku: str
    quantity: int = Field(1, ge=1, le=20)


class Order(BaseModel):
    name: str
    country: str
    card_number: str
    coupon: str = ""


class Subscription(BaseModel):
    email: str


def known(sku: str) -> catalogue.Product:
    product = catalogue.find(sku)
    if product is None:
        raise HTTPException(404, f"nothing is called {sku}")
    return product


@router.get("/products")
def products(visitor: SignedIn, q: str = "") -> list[dict[str, Any]]:
    return [{"sku": p.sku, "name": p.name, "cents": p.price_cents} for p in catalogue.search(q)]


@router.get("/products/{sku}")
def product(sku: str, visitor: SignedIn) -> dict[str, Any]:
    found = known(sku)
    return {"sku": found.sku, "name": found.name, "cents": found.price_cents}


@router.get("/stock/{sku}")
def stock_of(sku: str, request: Request, visitor: SignedIn) -> JSONResponse:
    try:
        count = stock.available(sku, request.app.state.settings.stock_port)
    except stock.BeingCountedError:
        return JSONResponse({"detail": "being counted"}, 503, {"Retry-After": "600"})
    except stock.StockUnavailableError as error:
        sentry_sdk.capture_exception(error)
        return JSONResponse({"detail": str(error)}, 504)
    return JSONResponse({"sku": sku, "available": count})


@router.get("/recommendations/{sku}")
def recommendations_for(sku: str, visitor: SignedIn) -> list[dict[str, Any]]:
    return recommendations.like(sku)


@router.get("/cart")
def cart(carts: AllCarts, cart_id: CartId, visitor: SignedIn) -> dict[str, Any]:
    lines = carts.lines(cart_id)
    return {
        "lines": [
            {"sku": line.product.sku, "quantity": line.quantity, "cents": line.total_cents} for line in lines
        ],
        "total_cents": sum(line.total_cents for line in lines),
    }


@router.post("/cart")
def add_to_cart(addition: Addition, carts: AllCarts, cart_id: CartId, visitor: SignedIn) -> dict[str, int]:
    return {"count": carts.add(cart_id, known(addition.sku), addition.quantity)}


@router.get("/tax")
def tax_of(country: str, cents: int, visitor: SignedIn) -> dict[str, int]:
    return {"tax_cents": tax.tax_cents(country, cents)}


@router.get("/coupons/{code}")
def coupon(code: str, cents: int, visitor: SignedIn) -> dict[str, int]:
    logger.info("Coupon {code} on {cents} cents", code=code, cents=cents)
    asked = json.dumps({"code": code, "cents": cents, "campaigns": [*coupons.CAMPAIGN_PERCENT]}, indent=2)
    sentry_sdk.get_isolation_scope().add_attachment(bytes=asked.encode(), filename="coupon.json")
    discount = coupons.discount_cents(code, cents)
    if discount is None:
        raise HTTPException(404, "nobody knows this code")
    return {"discount_cents": discount}


@router.post("/newsletter")
def newsletter(subscription: Subscription, visitor: SignedIn) -> dict[str, str]:
    if "@" not in subscription.email:
        raise HTTPException(422, "not an e-mail address")
    return {"status": "subscribed"}


@router.post("/pay")
def pay(
    order: Order, request: Request, carts: AllCarts, cart_id: CartId, visitor: SignedIn
) -> dict[str, Any]:
    number = secrets.token_hex(3).upper()
    sentry_sdk.set_tag("payment_method", "card")
    logger.info("Order {number} is paid by card", number=number)
    if request.app.state.settings.has_new_checkout:
        check_address_twice()
    total_cents = sum(line.total_cents for line in carts.lines(cart_id))
    try:
        receipt = payments.pay(number, order.card_number, total_cents, order.name)
    except payments.PaymentDeclinedError as error:
        logger.warning("The gateway declined order {number}", number=number, reason=error.reason)
        sentry_sdk.capture_exception(error)
        raise HTTPException(402, error.reason) from error
    carts.empty(cart_id)
    return {"order": number, **receipt}


def check_address_twice() -> None:
    for attempt in (1, 2):
        with sentry_sdk.start_span(op="http.client", name=f"GET https://addresses.example/check?{attempt}"):
            time.sleep(0.45)

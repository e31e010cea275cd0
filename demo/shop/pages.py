"""The shop's pages."""

import pathlib
import random
import secrets
import time
from typing import Annotated, Any

import sentry_sdk
from fastapi import APIRouter, HTTPException, Path, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.templating import Jinja2Templates
from jinja2 import StrictUndefined

from demo.shop import catalogue, tax
from demo.shop.api import AllCarts, CartId, SignedIn
from demo.shop.visitors import VISITORS, Visitor

router = APIRouter(default_response_class=HTMLResponse)
templates = Jinja2Templates(directory=pathlib.Path(__file__).parent / "templates")
templates.env.undefined = StrictUndefined
templates.env.filters["euros"] = lambda cents: f"€ {cents / 100:,.2f}"


def page(request: Request, name: str, visitor: Visitor | None, **values: Any) -> Response:
    settings = request.app.state.settings
    with sentry_sdk.start_span(op="db", name="SELECT * FROM sessions WHERE token = %s"):
        # A database in another building.
        time.sleep(random.uniform(0.1, 0.25))
    answer = templates.TemplateResponse(
        request,
        name,
        {
            "visitor": visitor,
            "visitors": VISITORS.values(),
            "settings": settings,
            "traceparent": sentry_sdk.get_traceparent() or "",
            "baggage": sentry_sdk.get_baggage() or "",
            **values,
        },
    )
    if "cart" not in request.cookies:
        answer.set_cookie("cart", secrets.token_hex(8), httponly=True, samesite="lax")
    return answer


@router.get("/")
def home(request: Request, visitor: SignedIn) -> Response:
    return page(request, "home.html", visitor, products=catalogue.search("")[:4])


@router.get("/products")
def products(request: Request, visitor: SignedIn, q: str = "", kind: str = "") -> Response:
    found = catalogue.search(q, kind)
    kinds = sorted({product.kind for product in catalogue.PRODUCTS})
    return page(request, "products.html", visitor, products=found, kinds=kinds, kind=kind, q=q)


@router.get("/products/{id}")
def product(sku: Annotated[str, Path(alias="id")], request: Request, visitor: SignedIn) -> Response:
    found = catalogue.find(sku)
    if found is None:
        raise HTTPException(404, f"nothing is called {sku}")
    return page(request, "product.html", visitor, product=found)


@router.get("/cart")
def cart(request: Request, visitor: SignedIn, carts: AllCarts, cart_id: CartId) -> Response:
    lines = carts.lines(cart_id)
    return page(
        request, "cart.html", visitor, lines=lines, total_cents=sum(line.total_cents for line in lines)
    )


@router.get("/checkout")
def checkout(request: Request, visitor: SignedIn, carts: AllCarts, cart_id: CartId) -> Response:
    total_cents = sum(line.total_cents for line in carts.lines(cart_id))
    countries = sorted(tax.RATES)
    if request.app.state.settings.has_new_checkout:
        ask_for_addresses()
    return page(request, "checkout.html", visitor, total_cents=total_cents, countries=countries)


def ask_for_addresses() -> None:
    with sentry_sdk.start_span(op="http.client", name="GET https://addresses.example/saved"):
        time.sleep(0.5)


@router.get("/thanks")
def thanks(request: Request, visitor: SignedIn, order: str = "") -> Response:
    return page(request, "thanks.html", visitor, order=order)


@router.post("/sign-in/{visitor_id}")
def sign_in(visitor_id: str) -> Response:
    answer = RedirectResponse("/", status_code=303)
    answer.set_cookie("visitor", visitor_id, httponly=True, samesite="lax")
    return answer


@router.get("/pictures/{sku}.svg")
def picture(sku: str, request: Request) -> Response:
    found = catalogue.BY_SKU.get(sku)
    if found is None:
        raise HTTPException(404)
    return templates.TemplateResponse(
        request,
        "picture.svg",
        {"hue": found.hue, "corner": len(sku) * 3},
        media_type="image/svg+xml",
        headers={"Cache-Control": "max-age=300"},
    )

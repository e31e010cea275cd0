"""GET /metrics, in the form of Prometheus or OpenMetrics, as the scraper asks."""

from collections.abc import Iterator
from ipaddress import ip_address
from secrets import compare_digest

from fastapi import APIRouter, Request
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from starlette.responses import Response

from api.client_address import address_of
from api.context import Context, ContextDependency
from api.errors import MetricsRefused
from api.metrics.instruments import counted
from api.metrics.state import state
from api.problems import responses

router = APIRouter(tags=["service"])

# Whoever adds one is a proxy of this host: its clients are anybody.
FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


class Told:
    """What there is to collect, as the encoders of prometheus_client take it."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def collect(self) -> Iterator[Metric]:
        yield from counted()
        yield from state(self._context)


@router.get(
    "/metrics",
    operation_id="metrics",
    summary="Get metrics for Prometheus",
    response_class=Response,
    responses={
        200: {
            "content": {"text/plain": {}, "application/openmetrics-text": {}},
            "description": "The metrics.",
        },
        **responses(MetricsRefused.code),
    },
)
def metrics(request: Request, context: ContextDependency) -> Response:
    """Requires `ERRATA_API_METRICS_TOKEN` as a Bearer token, except from the service's own host."""
    if not (_has_token(request, context) or _is_of_this_host(request)):
        raise MetricsRefused
    encode, content_type = choose_encoder(request.headers.get("accept", ""))
    return Response(encode(Told(context)), media_type=content_type, headers={"Cache-Control": "no-store"})


def _has_token(request: Request, context: Context) -> bool:
    token = context.settings.metrics_token.get_secret_value()
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    return bool(token) and scheme.lower() == "bearer" and compare_digest(given.encode(), token.encode())


def _is_of_this_host(request: Request) -> bool:
    address = address_of(request.scope)
    is_direct = not any(name in request.headers for name in FORWARDED)
    return is_direct and bool(address) and ip_address(address).is_loopback

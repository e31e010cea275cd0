"""A request at the direct door, whichever protocol it speaks."""

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Annotated

from anyio import to_thread
from errata_wire.envelope import Envelope
from errata_wire.refusal import Refused
from fastapi import Depends, Request
from starlette.responses import Response

from api.client_address import address_of
from api.context import Context, ContextDependency
from api.door.door import Door, Head
from api.door.refusal import response_to
from api.ingest.accept import Ingest
from api.ingest.endpoint import ingest_of, read_body
from api.problems import problem
from errata.errors import ErrataError

# Of bodies whose sender is known only by what is in them.
NO_ORGANIZATION = 0


@dataclass(frozen=True)
class Received:
    request: Request
    door: Door
    ingest: Ingest
    context: Context

    async def take(self, head: Head, max_bytes: int, read: Callable[[bytes], Envelope]) -> Envelope:
        """What was written to the spool. Raises Refused and ErrataError."""
        threads = self.context.door_limiter
        sender = await self.door.greet(head, threads)
        with self.ingest.bodies.hold(sender.organization_id if sender else NO_ORGANIZATION) as held:
            body = await read_body(self.request, max_bytes, held)
            return await to_thread.run_sync(self.door.take, head, body, max_bytes, read, limiter=threads)

    async def answer(
        self,
        head: Head,
        max_bytes: int,
        read: Callable[[bytes], Envelope],
        shown: Callable[[Envelope], Response],
        told: Callable[[Refused], Refused] = lambda refused: refused,
    ) -> Response:
        """The response to a sender of Sentry's protocol: as `shown` of what was taken, or why it was not, as
        `told` says it. A page may read either."""
        try:
            response = shown(await self.take(head, max_bytes, read))
        except Refused as refused:
            response = response_to(self.request, told(refused))
        except ErrataError as error:
            response = problem(self.request, error)
        response.headers.update(self.door.cors_headers(head))
        return response


def door_of(request: Request) -> Door:
    door = request.app.state.door
    assert isinstance(door, Door)
    return door


def received(
    request: Request, context: ContextDependency, ingest: Annotated[Ingest, Depends(ingest_of)]
) -> Received:
    return Received(request, door_of(request), ingest, context)


def head_of(request: Request, project_id: int | None, *, is_named_in_body: bool = False) -> Head:
    headers = dict(request.headers.items())
    query = request.scope["query_string"].decode("latin-1")
    address = address_of(request.scope)
    # A program of this host: its address would make one visitor of all.
    if address and ip_address(address).is_loopback:
        address = ""
    return Head(project_id, request.scope["path"], query, headers, address, is_named_in_body)


ReceivedDependency = Annotated[Received, Depends(received)]

"""What an envelope is answered with: its key, its limits, and its lines on disk."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

from anyio import CapacityLimiter, to_thread
from errata_shipper.intake.application_key import named_key
from errata_shipper.intake.spool import LargeBodies, Spool
from errata_wire import content_encoding
from errata_wire.address import network
from errata_wire.envelope import Envelope
from errata_wire.limits import INTAKE_ITEMS_PER_SECOND
from errata_wire.origin import Origins
from errata_wire.rate import Rates
from errata_wire.refusal import Refused

from api.door.spools import Spools
from api.ingest.accept import Ingest
from api.ingest.rate import Amount
from errata.errors import ErrataError, RateLimited
from errata.state.app_keys import AppKeys, Sender
from errata.state.errors import StateUnavailable
from errata.state.keys import APP_KEY_PREFIX
from errata.state.shards import FIRST

log = logging.getLogger(__name__)

# A key that was revoked sends for so long.
KEY_SECONDS = 10.0
KEYS_REMEMBERED = 10_000
ALLOWED_HEADERS = (
    "x-sentry-auth, x-requested-with, x-forwarded-for, origin, referer, accept, content-type, "
    "authentication, authorization, content-encoding, transfer-encoding, baggage, sentry-trace"
)
EXPOSED_HEADERS = "x-sentry-error, x-sentry-rate-limits, retry-after"


@dataclass(frozen=True)
class Head:
    """A request without its body; names of headers in lower case. `address`: of the client, as far as that
    tells anything; `project_id`: None in an address that names none; `is_named_in_body`: the body may name
    the key, too."""

    project_id: int | None
    path: str
    query: str
    headers: Mapping[str, str]
    address: str
    is_named_in_body: bool = False

    def key(self, dsn: object = None) -> str:
        """The key that the request names; empty if it names none so far. Raises Refused."""
        return named_key(self.headers, self.path, self.query, dsn)


class Senders:
    """What the account store says of keys, remembered for seconds. Thread-safe."""

    def __init__(self, keys: AppKeys) -> None:
        self._keys = keys
        self._known: OrderedDict[str, tuple[float, Sender | None]] = OrderedDict()
        self._lock = Lock()

    def is_known(self, key: str) -> bool:
        """Whether nothing has to be asked of the store."""
        known = self._known.get(key)
        return known is not None and time.monotonic() < known[0]

    def find(self, key: str) -> Sender | None:
        """While the account store is away, what it said last. Raises StateUnavailable for a new key then."""
        with self._lock:
            known = self._known.get(key)
        if known is not None and time.monotonic() < known[0]:
            return known[1]
        try:
            found = self._keys.sender(key)
        except StateUnavailable:
            if known is None:
                raise
            return known[1]
        with self._lock:
            self._known[key] = time.monotonic() + KEY_SECONDS, found
            self._known.move_to_end(key)
            if len(self._known) > KEYS_REMEMBERED:
                self._known.popitem(last=False)
        return found


class Door:
    """`requests_per_second`: of one address with public keys; `shard_of`: the shard of a project."""

    def __init__(
        self,
        keys: AppKeys,
        ingest: Ingest,
        spools: Spools,
        requests_per_second: int,
        shard_of: Callable[[int], int],
    ) -> None:
        self.spools = spools
        self._ingest = ingest
        self._shard_of = shard_of
        self._senders = Senders(keys)
        self._large = LargeBodies()
        self._requests_per_second = requests_per_second
        self._addresses = Rates(requests_per_second, bucket_count=KEYS_REMEMBERED)
        self._items = Rates(INTAKE_ITEMS_PER_SECOND, bucket_count=KEYS_REMEMBERED)

    async def greet(self, head: Head, threads: CapacityLimiter) -> Sender | None:
        """The sender, before the body is read; None where only the body names a key. Raises Refused."""
        key = head.key()
        if not key.startswith(APP_KEY_PREFIX):
            self._limit_address(head)
        if not key and head.is_named_in_body:
            return None
        if self._senders.is_known(key):
            return self._sender(head, key)
        return await to_thread.run_sync(self._sender, head, key, limiter=threads)

    def take(self, head: Head, body: bytes, max_bytes: int, read: Callable[[bytes], Envelope]) -> Envelope:
        """Writes the items to the spool. `read` makes the envelope of a body of at most `max_bytes` inflated.
        Raises Refused."""
        encoding = head.headers.get("content-encoding", "")
        content = content_encoding.decoded(body, encoding, max_bytes)
        with self._large.turn(content):
            envelope = read(content)
            key = head.key(envelope.headers.get("dsn"))
            sender = self._sender(head, key)
            self._limit_items(key, len(envelope.items))
            self._spool_of(sender).take(
                envelope, key, head.address, admit=lambda lines: self._admit(sender, lines)
            )
        return envelope

    def _spool_of(self, sender: Sender) -> Spool:
        try:
            shard = self._shard_of(sender.route.project_id)
        except ErrataError:
            # Any spool delivers it, once the account store says where to.
            shard = FIRST
        return self.spools.of(sender.organization_id, shard)

    def cors_headers(self, head: Head) -> dict[str, str]:
        """What lets a page read the response. A page that may not send is told so."""
        return origins_of(("*",)).cors_headers(head.headers)

    def _sender(self, head: Head, key: str) -> Sender:
        if not key:
            raise Refused(
                403, "no key: send the DSN's key in X-Sentry-Auth, sentry_key or the envelope's dsn"
            )
        try:
            sender = self._senders.find(key)
        except StateUnavailable as error:
            raise Refused(503, error.told, {"Retry-After": str(error.retry_after_seconds)}) from error
        if sender is None:
            raise Refused(403, "the DSN's key is unknown or revoked; copy the DSN of the project's settings")
        if head.project_id not in (None, sender.route.project_id):
            detail = "the number at the end of the DSN is that of another project; copy the DSN as a whole"
            raise Refused(403, detail)
        origin, allowed = head.headers.get("origin"), origins_of(sender.origins)
        if origin is not None and origin not in allowed:
            raise allowed.refusal(origin)
        return sender

    def _limit_address(self, head: Head) -> None:
        # Through a proxy that is not trusted, everybody comes from its address.
        wait = self._addresses.take(network(head.address)) if head.address else 0
        if wait:
            detail = f"over {self._requests_per_second} requests per second from one address"
            raise _limited(wait, detail, "organization")

    def _limit_items(self, key: str, count: int) -> None:
        if count > self._items.burst:
            raise Refused(413, f"the envelope has {count} items; the limit is {self._items.burst}")
        wait = self._items.take(key, count)
        if wait:
            raise _limited(wait, f"over {INTAKE_ITEMS_PER_SECOND} items per second of one key", "key")

    def _admit(self, sender: Sender, lines: Sequence[bytes]) -> None:
        amount = Amount(len(lines), sum(map(len, lines)))
        try:
            self._ingest.admit(sender.organization_id, sender.route, amount)
        except RateLimited as error:
            raise _limited(error.retry_after_seconds, str(error), "project") from error
        except StateUnavailable:
            # The store of the limits is away: what is taken without them is on disk at least.
            log.warning("Limits could not be asked: the account store is away")


def _limited(wait: int, detail: str, scope: str) -> Refused:
    return Refused(429, detail, {"Retry-After": str(wait), "X-Sentry-Rate-Limits": f"{wait}::{scope}"})


@lru_cache(maxsize=1024)
def origins_of(origins: tuple[str, ...]) -> Origins:
    return Origins(
        origins,
        allowed_headers=ALLOWED_HEADERS,
        exposed_headers=EXPOSED_HEADERS,
        remedy="add the origin to the project's settings to allow them",
    )

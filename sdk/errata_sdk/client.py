"""Starting the Sentry SDK with the log file as its only destination, or beside Sentry."""

import warnings
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import sentry_sdk
from sentry_sdk.client import BaseClient
from sentry_sdk.scrubber import DEFAULT_PII_DENYLIST, EventScrubber
from sentry_sdk.transport import Transport
from sentry_sdk.utils import capture_internal_exceptions

from errata_sdk.arguments import name_arguments
from errata_sdk.environment import describe
from errata_sdk.fork import at_exit_of_worker
from errata_sdk.log_file import LogFile
from errata_sdk.retention import Retention
from errata_sdk.transport import FileTransport

BeforeSend = Callable[[Any, dict[str, Any]], Any]

# The Sentry SDK traces, counts sessions and reports only when it has an address. Nothing is ever sent
# to this one: it ends in a name that is reserved for names that do not exist.
NO_ADDRESS = "https://errata@errata.invalid/1"

# The Sentry SDK also removes an address that the application has set as the user's own.
_ADDRESSES = [name for name in DEFAULT_PII_DENYLIST if name != "ip_address"]
_USERS_CHOICE = {"event_scrubber", "send_default_pii", "data_collection"}

# Where a Sentry transport keeps the one that writes beside it.
JOINED = "_errata_transport"


def init(
    app_key: str,
    storage_path: str | PathLike[str],
    *,
    environment: str | None = None,
    release: str | None = None,
    in_app_include: Iterable[str] = (),
    keep_days: int | None = 7,
    max_storage_bytes: int | None = 2 << 30,
    keep_sentry: bool = False,
    **options: Any,
) -> FileTransport:
    """Write what the Sentry SDK captures to `<storage_path>/errata-YYYY-MM-DD.log`.

    Delivered files older than `keep_days` are removed, and the oldest files while all together are over
    `max_storage_bytes`; None sets no limit. Further options are those of `sentry_sdk.init`.
    With `keep_sentry` an application that already sends to Sentry goes on doing so with the options it has,
    and the log file gets the same.
    """
    retention = Retention(keep_days, max_storage_bytes)
    transport = FileTransport(app_key, LogFile(Path(storage_path).absolute(), retention=retention))
    transport.log_file.prepare()
    at_exit_of_worker(transport, sentry_sdk.flush)
    options |= {"environment": environment, "release": release, "in_app_include": list(in_app_include)}
    client = sentry_sdk.get_client()
    if keep_sentry and client.is_active() and not isinstance(client.transport, FileTransport):
        joined: FileTransport | None = getattr(client.transport, JOINED, None)
        if joined is None:
            _join(client, transport, options)
            return transport
        joined.app_key, joined.log_file = app_key, transport.log_file
        return joined
    _warn_of_replacing(client)
    options["before_send"] = _completing(options.get("before_send"))
    if not _USERS_CHOICE & options.keys():
        options["event_scrubber"] = EventScrubber(pii_denylist=_ADDRESSES)
    # Both could be set by the environment and would reach for the network.
    options |= {"dsn": NO_ADDRESS, "transport": transport}
    options.setdefault("spotlight", False)
    sentry_sdk.init(**options)
    return transport


def _completing(before_send: BeforeSend | None) -> BeforeSend:
    """Complete an event before the application's own `before_send` sees it."""

    def complete(event: Any, hint: dict[str, Any]) -> Any:
        with capture_internal_exceptions():
            if event.get("type") is None:
                name_arguments(event, hint.get("exc_info"))
                describe(event)
        return event if before_send is None else before_send(event, hint)

    return complete


def _join(client: BaseClient, transport: FileTransport, options: dict[str, Any]) -> None:
    """Let a client that sends to Sentry write to the log file too."""
    ignored = [name for name, value in options.items() if value and client.options.get(name) != value]
    if ignored:
        warnings.warn(
            f"keep_sentry=True keeps the existing Sentry client's options; ignored: {', '.join(ignored)}",
            stacklevel=3,
        )
    client.options["before_send"] = _completing(client.options.get("before_send"))
    if client.transport is None:
        client.transport = transport
    else:
        _write_too(client.transport, transport)


def _write_too(sentry: Transport, transport: FileTransport) -> None:
    # On the instance, because the Sentry SDK asks its transport for its class in several places.
    send, flush, lose = sentry.capture_envelope, sentry.flush, sentry.record_lost_event

    def capture_envelope(envelope: Any) -> None:
        transport.capture_envelope(envelope)
        send(envelope)

    def flush_both(*arguments: Any, **named: Any) -> Any:
        transport.flush(0)
        return flush(*arguments, **named)

    def record_lost_event(*arguments: Any, **named: Any) -> None:
        transport.record_lost_event(*arguments, **named)
        lose(*arguments, **named)

    for name, value in (
        ("capture_envelope", capture_envelope),
        ("flush", flush_both),
        ("record_lost_event", record_lost_event),
        (JOINED, transport),
    ):
        setattr(sentry, name, value)


def _warn_of_replacing(client: BaseClient) -> None:
    # A client that was closed has a DSN, but no transport anymore.
    if client.is_active() and client.dsn and not isinstance(client.transport, FileTransport | type(None)):
        warnings.warn(
            "Sentry was already initialized and no longer receives events; set keep_sentry=True to "
            "use it alongside Errata",
            stacklevel=3,
        )

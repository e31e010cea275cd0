"""The limits of the API, shown on its documentation page with the values of this service."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from api.ingest.bodies import HELD_MAX_BYTES
from api.ingest.names import FEW
from api.settings import ApiSettings
from api.slots import AT_ONCE, AT_ONCE_A_CALLER
from errata.state.sign_in_attempts import ATTEMPT_WINDOW, ATTEMPTS_A_WINDOW, STRANGERS_ATTEMPTS

SHOWN_AT = "/api/docs#limits"
# Of every endpoint except ingest, which has its own.
BODY_MAX_BYTES = 1 << 20
# Of source maps; written to a file while it arrives.
UPLOAD_MAX_BYTES = 256 << 20
SCOPES = {
    "organization": ("lines_per_minute",),
    "project": ("names_per_day", "releases_per_day", "environments_per_day", "tag_keys_per_day"),
    "caller": ("body_max_bytes", "inflated_max_bytes", "lines_max", "line_max_bytes", "answer_seconds"),
}
"""The limits with settings, by whom they apply to."""


@dataclass(frozen=True)
class Limit:
    """`setting` is the variable that changes it; empty: it is fixed. `scope`: whom it applies to, one of
    organization, project, caller, email (an address used to sign in) and service (a node)."""

    name: str
    value: float
    meaning: str
    scope: str = "service"
    setting: str = ""


def limits(settings: ApiSettings) -> Iterator[Limit]:
    prefix = settings.model_config["env_prefix"]
    for scope, names in SCOPES.items():
        for name in names:
            meaning = ApiSettings.model_fields[name].description or ""
            yield Limit(name, getattr(settings, name), meaning, scope, f"{prefix}{name.upper()}")
    yield Limit(
        "names_of_few_kinds_per_day",
        FEW,
        "New levels, platforms, browsers, operating systems, SDKs and methods per project and UTC day, each.",
        "project",
    )
    yield Limit(
        "requests_at_once_a_caller",
        AT_ONCE_A_CALLER,
        "Concurrent requests per node for one key, session or address; further ones wait up to the time "
        "limit of a response, then fail with 429. Deliveries don't count.",
        "caller",
    )
    yield Limit(
        "requests_at_once",
        AT_ONCE,
        "Concurrent requests per node for all callers; further ones wait as well.",
    )
    yield Limit(
        "deliveries_at_once_bytes",
        HELD_MAX_BYTES,
        "Total size as sent of an organization's concurrent deliveries per node; further ones are refused "
        "with 429. A single delivery can be as large as a body.",
        "organization",
    )
    yield Limit(
        "other_body_max_bytes",
        BODY_MAX_BYTES,
        "Maximum body size of all other requests; larger ones are refused with 413.",
        "caller",
    )
    minutes = round(ATTEMPT_WINDOW.total_seconds() / 60)
    yield Limit(
        "sign_in_attempts",
        ATTEMPTS_A_WINDOW,
        f"Sign-in attempts per email address from one client address (IPv6: one /64) in {minutes} minutes; "
        "further ones fail with 429.",
        "email",
    )
    yield Limit(
        "sign_in_attempts_of_strangers",
        STRANGERS_ATTEMPTS,
        f"Passwords tried per email address in {minutes} minutes from all client addresses together that it "
        f"was not used to sign in from; further ones fail with 429. For codes: {ATTEMPTS_A_WINDOW}.",
        "email",
    )


def described(settings: ApiSettings) -> list[dict[str, object]]:
    """The limits for `x-limits` of OpenAPI."""
    return [asdict(limit) for limit in limits(settings)]

"""What `sentry-relay` strips with its defaults, written to `tests/data/relay.json.gz`; and all it does
otherwise with 10,000 events and 6,000 pairs of versions, in the tables of bench/results/relay.md and in
`tests/data/relay_varied.json.gz`:

python -m venv RELAY && RELAY/bin/pip install sentry-relay==0.10.1
python -m bench.relay RELAY/bin/python [--only-varied]
"""

import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bench.figures import figure
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from tests import relay_differences as differences
from tests.processes import start_warehouse
from tests.relay_differences import Pair
from tests.relayed import COMMON, FILE, is_left, recorded_places, saturated_events
from tests.relayed_orders import compared_pair, release_positions
from tests.secret_catalog import SECRETS, Secret
from tests.secret_places import Place
from tests.varied_events import Planted, varied_event

# As new projects have it.
SETTINGS = {
    "scrubData": True,
    "scrubDefaults": True,
    "scrubIpAddresses": False,
    "sensitiveFields": [],
    "excludeFields": [],
}
RELAY = """
import json, sys
from importlib.metadata import version
from sentry_relay.processing import (
    compare_version, convert_datascrubbing_config, parse_release, pii_strip_event
)
def compared(versions):
    # To find out by an exception takes a hundred times as long.
    if any((parse_release("shop@" + one) or {}).get("version_parsed") is None for one in versions):
        return None
    return compare_version(*versions)
config = convert_datascrubbing_config(json.loads(sys.argv[1]))
print(version("sentry-relay"), flush=True)
for line in sys.stdin:
    sent = json.loads(line)
    if isinstance(sent, list):
        print(json.dumps(compared(sent)), flush=True)
        continue
    # Without a rule: what it does not know it drops, which is no decision about a secret.
    print(json.dumps([pii_strip_event(rules, sent) for rules in ({}, config)]), flush=True)
"""
# Of its patterns and the cookies that it knows; and longer words with these in them.
NAMES = """
    password secret passwd api_key api-key apikey auth credentials mysql_pwd privatekey private_key
    private-key token otp two_factor two-factor bearer sentrysid sudo su session __session sessionid
    user_session symfony phpsessid fasthttpsessionid mysession irissessionid _vercel_jwt csrf xsrf
    _xsrf _csrf csrf-token xsrf_token fastcsrf _iris_csrf cookie set-cookie mypassword passwords
    secrets mytoken tokens stripetoken tokenvalue myauth user_auth userAuth oauth oauth2 oauth_state
    authdata auth_data x-auth-user HTTP_AUTH myapikey apikeys mycredentials credentials_file
    mysecretvalue author authors authority author_email authenticated authorized_by unauthorized
    authentic auth_type auth_method oauth_provider authlib token_type token_count max_tokens
    total_tokens tokenizer token_url password_length password_policy passwordless secretary
    api_key_name credentials_provider otp_enabled
""".split()
# What must be gone of it by one of its rules stands between « and ».
TEXTS = (
    "paid by «4111111111111111»",
    "paid by «4111-1111-1111-1111»",
    "paid by «4111 1111 1111 1111»",
    "paid by «4-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1»",
    "paid by «378282246310005»",
    "paid by «3782-822463-10005»",
    "paid by «6500000000000002»",
    "paid by «4111111111111112»",
    "to «DE89370400440532013000»",
    "to «GB29NWBK60161331926819»",
    "to «DE00370400440532013000»",
    "to «NL91abna0417164300»",
    "of «219-09-9999»",
    "of «000-12-3456»",
    "of «912-34-5678»",
    "of «123-45-0000»",
    "sent Bearer «Zq7mVt3kXw9a»",
    "sent bearer «Zq7m»",
    "the bearer «of» news",
    "postgres://ann:«Zq7mVt3kXw9b»@db.example/shop",
    "//ann:«Zq7mVt3kXw9c»@db.example/shop",
    "https://«Zq7mVt3kXw9d»@db.example/shop",
    "-----BEGIN RSA PRIVATE KEY-----\n«Zq7mVt3kXw9e»\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PUBLIC KEY-----\n«Zq7mVt3kXw9f»\n-----END PUBLIC KEY-----",
    "from «ann@shop.example»",
    "from «203.0.113.7»",
    "by «3c:22:fb:aa:bb:cc»",
    "of «49015420-323751-8»",
    "at /home/«zq7mann»/shop",
    "id «1f0e5a6c-7b4d-4f0a-9c3e-2b1a0f9e8d7c»",
    "password of order «48151623»",
    "the author is «Zq7mVt3kXw9g»",
    "token: «Zq7mVt3kXw9h»",
    "token expired for «Zq7mVt3kXw9i»",
    "authentication of «Zq7mVt3kXw9j» failed",
    "a secret of «Zq7mVt3kXw9k»",
)
# So that each place is tried with a few, and each of them at a few places.
A_PLACE, STEP = 3, 97
EVENTS, PAIRS, SEED = 10_000, 6_000, 20_261_130
# Of each kind of difference, and of what both strip, for a test without Relay.
SAMPLED, SAMPLED_OF_BOTH = 60, 1_000
DOCUMENT = Path(__file__).parent / "results" / "relay.md"


class Relay:
    def __init__(self, python: str) -> None:
        self._process = subprocess.Popen(
            [python, "-c", RELAY, json.dumps(SETTINGS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.version = self._answer().strip()

    def strips(self, event: dict[str, Any], secrets: list[Secret]) -> list[bool]:
        """Of each, whether its rules leave nothing."""
        before, after = (json.dumps(one, ensure_ascii=False) for one in self.written(event))
        return [is_left(before, one) and not is_left(after, one) for one in secrets]

    def written(self, event: dict[str, Any]) -> tuple[Any, Any]:
        """The event as it writes it without rules, and with its default ones."""
        before, after = self._asked(event)
        return before, after

    def compares(self, one: str, other: str) -> int | None:
        """-1, 0 or 1; None: not as versions."""
        found: int | None = self._asked([one, other])
        return found

    def _asked(self, sent: Any) -> Any:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(sent) + "\n")
        self._process.stdin.flush()
        return json.loads(self._answer())

    def close(self) -> None:
        self._process.communicate()

    def _answer(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline()


def own_secrets() -> Iterator[Secret]:
    for number, name in enumerate(NAMES):
        value = f"Zn7mV{number:03}kXw"
        yield Secret(f"name: {name}", f"{name}={value}", (value,), name)
    for number, text in enumerate(TEXTS):
        gone = text.partition("«")[2].partition("»")[0]
        yield Secret(f"text: {number}", text.replace("«", "").replace("»", ""), (gone,))


def main() -> None:
    relay = Relay(sys.argv[1])
    secrets = [*SECRETS, *own_secrets()]
    if "--only-varied" not in sys.argv:
        _record(relay, secrets)
    unknown = _varied(relay, secrets)
    relay.close()
    for one in unknown[:40]:
        print(one)
    raise SystemExit(1 if unknown else 0)


def _record(relay: Relay, secrets: list[Secret]) -> None:

    def strips(place: Place, secret: Secret) -> bool:
        return relay.strips(place.planted(secret), [secret])[0]

    numbers = count(0, STEP)
    content = {
        "relay": relay.version,
        "settings": SETTINGS,
        "secrets": secrets,
        # Numbers of those stripped, of all.
        "common": {one.id: [n for n, each in enumerate(secrets) if strips(one, each)] for one in COMMON},
        # Of a few at each place: those stripped, and the others.
        "recorded": {
            place.id: [[n for n in few if strips(place, secrets[n]) == wanted] for wanted in (True, False)]
            for place in recorded_places().values()
            for few in [[next(numbers) % len(secrets) for _ in range(A_PLACE)]]
        },
        "sdks": {
            name: [n for n, is_stripped in enumerate(relay.strips(event, secrets)) if is_stripped]
            for name, event in saturated_events(secrets)
        },
    }
    _write(FILE, content)


def _varied(relay: Relay, secrets: list[Secret]) -> list[str]:
    """The differences that have no row with a reason."""
    kept, filtered, others = Counter[str](), Counter[str](), Counter[str]()
    both = 0
    unknown, sampled = list[str](), list[Any]()
    per_kind = Counter[str]()
    for number in range(EVENTS):
        event, planted = varied_event(SEED, number, secrets)
        found = differences.compared(event, planted, *relay.written(event))
        others.update(found.others)
        unknown += found.unknown
        for one, (is_theirs, is_ours) in zip(planted, found.stripped, strict=True):
            both += is_theirs and is_ours
            kinds = differences.KEPT if is_theirs else differences.FILTERED
            kind = differences.kind_of(differences.Found(*one), kinds) if is_theirs != is_ours else "both"
            if is_theirs != is_ours:
                (kept if is_theirs else filtered)[kind] += 1
                unknown += [] if kind else [f"{one.place}: {one.secret}"]
            if (is_theirs or is_ours) and per_kind[kind] < (SAMPLED_OF_BOTH if kind == "both" else SAMPLED):
                per_kind[kind] += 1
                sampled.append([_few(event, one), one.place, one.secret, is_theirs])
    pairs = list(_ordered(relay))
    orders, searches = (
        Counter(order for pair in pairs if (order := kind_of(pair)) is not None)
        for kind_of in (differences.order_kind, differences.search_kind)
    )
    unknown += [
        str(pair) for pair in pairs if "" in (differences.order_kind(pair), differences.search_kind(pair))
    ]
    counts = {
        "kept": kept,
        "filtered": filtered,
        "others": others,
        "orders": orders,
        "searches": searches,
    }
    content = {
        "relay": relay.version,
        "seed": SEED,
        "events": EVENTS,
        "both": both,
        "counts": counts,
        "sample": sampled,
        "pairs": pairs,
    }
    _write(differences.FILE, content)
    _write_counts([(kind, number) for one in counts.values() for kind, number in one.items()])
    figure("relay_varied", EVENTS, "events", both=both, pairs=len(pairs), unknown=len(unknown), **counts)
    return unknown


def _few(event: dict[str, Any], planted: Planted) -> dict[str, Any]:
    """Of the event only what holds the secret."""
    return {
        name: value
        for name, value in event.items()
        if any(
            part in one
            for one in (json.dumps(value), json.dumps(value, ensure_ascii=False))
            for part in (json.dumps(planted.secret.gone[0])[1:-1], quote(planted.secret.gone[0], safe=""))
        )
    }


def _ordered(relay: Relay) -> Iterator[Pair]:
    wanted = differences.version_pairs(SEED, PAIRS)
    names = list(dict.fromkeys(one for pair in wanted for one in pair))
    with tempfile.TemporaryDirectory() as directory:
        warehouse = start_warehouse(Path(directory) / "data")
        try:
            migrate(warehouse.client(Role.ADMIN))
            positions = release_positions(warehouse, names)
        finally:
            warehouse.stop()
    for one, other in wanted:
        yield compared_pair(one, other, relay.compares(one, other), positions)


def _write_counts(counts: list[tuple[str, int]]) -> None:
    """Into the last column of the rows of the document, in the order of its tables."""
    left = list(counts)

    def counted(row: re.Match[str]) -> str:
        for at, (kind, number) in enumerate(left):
            if kind == row[1]:
                del left[at]
                return f"{row[0][: row.start(2) - row.start()]}{number:,} |"
        return row[0]

    DOCUMENT.write_text(
        re.sub(r"^\| ([^|]+?) \|.*\| ([\d,]+) \|$", counted, DOCUMENT.read_text(), flags=re.M)
    )
    for kind, number in left:
        sys.stderr.write(f"no row for {kind!r}: {number}\n")


def _write(file: Path, content: Any) -> None:
    file.write_bytes(gzip.compress(json.dumps(content, separators=(",", ":")).encode(), 9, mtime=0))
    figure(file.name.partition(".")[0] + "_file", file.stat().st_size, "bytes")


if __name__ == "__main__":
    main()

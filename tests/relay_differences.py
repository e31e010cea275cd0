"""How `sentry-relay` and Errata differ, kind by kind: each has a row with its reason in the tables of
bench/results/relay.md."""

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import unquote_plus

import msgspec
from errata_wire.secret_text import words_of

from errata.scrubbing import scrubbed
from tests.captures import DATA
from tests.relayed import is_left
from tests.secret_catalog import Secret
from tests.varied_events import Planted, leaves

FILE = DATA / "relay_varied.json.gz"
SETTINGS = frozenset(
    "token_type token_count max_tokens total_tokens token_url password_length password_policy api_key_name"
    " auth_type auth_method oauth_provider otp_enabled two_factor credentials_provider x_auth_user".split()
)
COMPOUNDS = frozenset(
    "author authors authority author_email authenticated authorized_by unauthorized authentic authlib"
    " tokenizer".split()
)
WORDS = re.compile("password|secret|auth|token", re.IGNORECASE)


class Found(NamedTuple):
    """A secret that one of the two strips from an event, and the other leaves."""

    place: str
    secret: Secret


def _begins(*texts: str) -> Callable[[Found], bool]:
    return lambda found: found.secret.id.startswith("text: ") and found.secret.text.startswith(texts)


def _is_of(*groups: str) -> Callable[[Found], bool]:
    return lambda found: found.secret.id.partition(":")[0] in groups


# What Relay strips, and Errata keeps: none of it is a secret.
KEPT: Mapping[str, Callable[[Found], bool]] = {
    "all of a text with `password`, `secret`, `auth` or `token` in it": lambda found: bool(
        not found.secret.name and WORDS.search(found.secret.text) and found.secret.id.startswith("text: ")
    ),
    "counts, kinds, settings and user names": lambda found: words_of(found.secret.name) in SETTINGS,
    "longer words, as names": lambda found: words_of(found.secret.name) in COMPOUNDS,
    "numbers that nobody can have": _begins(
        "paid by 4111111111111112", "to DE00", "to NL91abna", "of 000-", "of 912-", "of 123-45-0000"
    ),
    "short words after `bearer`": _begins("sent bearer Zq7m", "the bearer of"),
    "public keys": _begins("-----BEGIN PUBLIC"),
    "email addresses in messages": _begins("from ann@", "https://Zq7m"),
}
# What Errata filters, and Relay keeps.
FILTERED: Mapping[str, Callable[[Found], bool]] = {
    "values under other names": lambda found: bool(found.secret.name),
    "tokens, keys and links by their form": _is_of(
        *("token by its form", "link of our own", "link with a token", "signed address", "callback", "hmac"),
        *("private key", "words of a wallet", "signature", "token", "secret", "key", "session"),
    ),
    "numbers of cards and accounts": _is_of(
        "card", "IBAN", "bank account", "social security", "account", "sign-in"
    ),
    "credentials of commands, connections and headers": _is_of(
        *("command", "netrc", "pgpass", "connection string", "connection", "URL user", "encoded address"),
        *("bearer", "basic", "authorization", "header", "cookie"),
    ),
    "secrets in SQL, markup, files and printed objects": _is_of(
        "SQL", "SQL parameters", "printed object", "markup", "JSON within a text", "file"
    ),
    "passwords told in a sentence": _is_of(
        *("password told", "a word as password", "password on the next line", "answer", "longer name"),
        *("password", "short password", "password elsewhere", "secret elsewhere", "text"),
    ),
}
# Of what nobody planted, by its path and value.
OTHERS: Mapping[str, Callable[[Sequence[str], Any], bool]] = {
    "cookies that are a list": lambda path, value: list(path[:2]) == ["request", "cookies"],
    "what follows a secret in a list of two": lambda path, value: path[-1] == "1",
}


def kind_of(found: Found, kinds: Mapping[str, Callable[[Found], bool]]) -> str:
    return next((kind for kind, holds in kinds.items() if holds(found)), "")


class Compared(NamedTuple):
    """Of one event. `stripped`: by each planted secret whether Relay leaves nothing, and whether Errata does;
    `others`: kinds of other values that only Errata changes; `unknown`: those without a kind, and values that
    only Relay changes."""

    stripped: list[tuple[bool, bool]]
    others: list[str]
    unknown: list[str]


def compared(event: dict[str, Any], planted: Sequence[Planted], before: Any, after: Any) -> Compared:
    """`before` and `after`: the event as Relay writes it without rules, and with its default ones."""
    texts = [json.dumps(one, ensure_ascii=False) for one in (before, after)]
    ours = scrubbed(msgspec.json.encode(event)).decode()
    # What Relay doesn't know of an event it drops: no decision about a secret.
    stripped = [
        (not is_left(texts[1], secret), not is_left(ours, secret))
        if is_left(texts[0], secret)
        else (False, False)
        for _, secret in planted
    ]
    before = {name: value for name, value in before.items() if name != "_meta"}
    theirs = dict(leaves(after))
    own = dict(leaves(msgspec.json.decode(scrubbed(msgspec.json.encode(before)))))
    parts = [_plain(part) for _, secret in planted for part in (*secret.gone, secret.text)]
    others, unknown = list[str](), list[str]()
    for path, value in leaves(before):
        is_theirs, is_ours = theirs.get(path) != value, own.get(path) != value
        if is_theirs == is_ours or value is None or _has_one(value, parts):
            continue
        kind = next((kind for kind, holds in OTHERS.items() if is_ours and holds(path, value)), "")
        others += [kind] if kind else []
        unknown += [] if kind else [f"{'.'.join(path)}: {str(value)[:200]}"]
    return Compared(stripped, others, unknown)


def _has_one(value: Any, parts: Sequence[str]) -> bool:
    plain = _plain(value) if isinstance(value, str) else ""
    return any(part in plain for part in parts)


def _plain(text: str) -> str:
    """Without percent-encoding, escapes and spaces."""
    decoded = re.sub(
        r"\\+u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), unquote_plus(unquote_plus(text))
    )
    return re.sub(r"[\s\\]|\\+[nrt]", "", decoded.replace("\\n", "").replace("\\r", ""))


# The order of releases.


class Pair(NamedTuple):
    """Two versions, and how each orders them: -1, 0 or 1; None: not as versions. `ours`: of
    `errata_read.releases`; `search`: of comparisons in a search."""

    one: str
    other: str
    theirs: int | None
    ours: int | None
    search: int | None


OURS = re.compile(
    r"v?\d{1,18}(\.\d{1,18}){1,3}(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?"
    r"(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)


def _either(pattern: str) -> Callable[[Pair], bool]:
    wanted = re.compile(pattern)
    return lambda pair: bool(wanted.search(pair.one) or wanted.search(pair.other))


_V = _either(r"^v")
_ENDS_ODDLY = _either(r"[-+]$|-\+|_|\+.*[^0-9A-Za-z.+-]")
_LONG = _either(r"\d{19}")
_ZEROS = _either(r"^v?[\d.]+-([0-9A-Za-z-]+\.)*0\d+(\.|\+|$)")
_LETTERS = _either(r"^v?\d+(\.\d+)*[A-Za-z]")
ORDERS: Mapping[str, Callable[[Pair], bool]] = {
    "`v` before the numbers": _V,
    "numbers of more than 18 digits": _LONG,
    "zeros before a number of a pre-release": _ZEROS,
    "letters right after the numbers": _LETTERS,
    "nothing or a sign at the end": _ENDS_ODDLY,
    "a single number": _either(r"^\d+(?![.\d])"),
}
SEARCHED: Mapping[str, Callable[[Pair], bool]] = {
    "`v` before the numbers": _V,
    "numbers of more than 18 digits": _LONG,
    "five or six numbers": _either(r"^\d+(\.\d+){4}"),
    "zeros before a number of a pre-release": _ZEROS,
    "letters right after the numbers": _LETTERS,
    "nothing or a sign at the end": _ENDS_ODDLY,
    "builds": _either(r"\+"),
}


def order_kind(pair: Pair) -> str | None:
    """The kind of difference; empty for an unknown one, None for none."""
    if pair.theirs == pair.ours:
        return None
    return next((kind for kind, holds in ORDERS.items() if holds(pair)), "")


def search_kind(pair: Pair) -> str | None:
    if pair.theirs == pair.search:
        return None
    return next((kind for kind, holds in SEARCHED.items() if holds(pair)), "")


def version_pairs(seed: int, count: int) -> list[tuple[str, str]]:
    """Of realistic and odd versions: any two, and two that begin alike."""
    chance = random.Random(f"versions {seed}")
    every = list(dict.fromkeys(_version(chance, _numbers(chance)) for _ in range(400)))
    found = list[tuple[str, str]]()
    while len(found) < count:
        numbers = _numbers(chance)
        alike = _version(chance, numbers), _version(chance, numbers)
        one, other = alike if chance.random() < 0.5 else chance.sample(every, 2)
        if one != other:
            found.append((one, other))
    return found


def _numbers(chance: random.Random) -> str:
    if chance.random() < 0.1:
        return f"20{chance.randrange(20, 27)}.{chance.randrange(1, 13)}.{chance.randrange(1, 29)}"
    usual = (*("0", "1", "1", "2", "2", "3", "9", "10", "11", "20"), "01")
    odd = ("007", "4294967296", "9" * 20)
    parts = [chance.choice(odd if chance.random() < 0.02 else usual) for _ in range(chance.choice(_SIZES))]
    return ".".join(parts)


def _version(chance: random.Random, numbers: str) -> str:
    what = chance.random()
    if what < 0.05:
        return f"{chance.choice(_WORDS_OF_RELEASES)}{chance.randrange(30)}"
    if what < 0.08:
        return f"{chance.getrandbits(160):040x}"[: chance.choice((7, 12, 40))]
    before, build = (chance.choice(one).replace("#", str(chance.randrange(12))) for one in (_BEFORE, _BUILDS))
    return f"{chance.choice(_BEGINS)}{numbers}{before}{build}"


_SIZES = (1, 2, 2, 3, 3, 3, 3, 3, 4, 5)
_BEGINS = (*[""] * 12, "v", "v", "V", "release-")
_WORDS_OF_RELEASES = ("main-", "nightly", "backend-4f2a", "2026-11-", "build ", "r")
_BEFORE = (
    *[""] * 10,
    *("-rc.#", "-rc#", "rc#", "-alpha", "-alpha.#", "-beta-#", "-SNAPSHOT", "-snapshot", "-#", ".dev#", "a#"),
    *("-0", "-rc.01", "-x.y.#", ".rc#", "-canary.#.abc", "_#", "-"),
)
_BUILDS = (*[""] * 8, *("+#", "+build.#", "+sha.3f2a9c", "+20261121", " (#)", "-g3f2a9c#", "+", "+a_b"))


# What `bench.relay` recorded.


@cache
def recorded() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(gzip.decompress(FILE.read_bytes()))
    return content


def sample() -> Iterator[tuple[dict[str, Any], Planted, bool]]:
    """Events, a secret in each, and whether Relay strips it."""
    for event, place, fields, is_stripped in recorded()["sample"]:
        yield event, Planted(place, Secret(*fields)), is_stripped

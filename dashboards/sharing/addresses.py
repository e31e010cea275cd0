"""E-mail and IP addresses in texts, however they are written, replaced for people without an account."""

import html
import re
import unicodedata
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from ipaddress import AddressValueError, IPv6Address
from typing import Any, NamedTuple
from urllib.parse import unquote

DEEPEST = 60
# Ways of writing within one another that are read, such as percent-encoded JSON; deeper ones are not shown.
MOST_READINGS = 10
UNREAD = "[not shown]"

_LOCAL = r"\w.!$%*+^`{|}~-"
# A release such as shop@2.0.1 is none. The last form is one that was cut.
EMAIL = re.compile(
    rf"""(?: "[^"\n]{{1,64}}"
           | (?<![{_LOCAL}])
             (?:(?=[\w.!$%*^`{{|}}~]*+[+-])[{_LOCAL}]++=)?
             [{_LOCAL}]++ (?:'[{_LOCAL}]++){{0,3}}+ )
         (?:@|[ ]@[ ])
         (?: (?!\d+\.\d)[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{0,30}}\.[^\W\d_][\w-]{{1,62}}
           | (?:\d{{1,3}}\.){{3}}\d{{1,3}}(?!\.?\d)
           | \[[^\]\s]{{1,64}}\]
           | [\w-]{{0,63}}(?:\.[\w-]{{1,63}}){{0,30}}(?:\.\.\.|…) )""",
    re.VERBOSE,
)
_OCTET = r"(?:0x[0-9a-f]{1,2}|\d{1,4})"
IPV4 = re.compile(rf"(?<!\d)(?<!\d\.){_OCTET}(?:\.{_OCTET}){{3}}(?!\d)(?!\.\d)", re.I)
# To a browser a host that is a number, or ends in one, is an IPv4 address.
HOST = re.compile(
    r"""//(?:[^\s/?#@]{1,100}@)?
        (?P<host>(?:0x[0-9a-f]{0,9}|\d{1,12})(?:\.(?:0x[0-9a-f]{0,9}|\d{1,12})){0,3})
        \.?(?![\w.])""",
    re.VERBOSE | re.I,
)
# Also times of day and names of modules: each is looked at.
MAYBE_IPV6 = re.compile(r"(?<![^\W_])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,}+(?![^\W_])", re.I)
# By groups: as it is, after a label ("ip:"), before a port.
PARTS_OF_IPV6 = ((None, None), (1, None), (None, -1), (1, -1))

ESCAPE = re.compile(
    r"""(?P<percent>(?:%[89a-f][0-9a-f])+|%[0-7][0-9a-f])
      | (?P<html>&(?:\#\d{1,9};?|\#x[0-9a-f]{1,8};?|[a-z][a-z\d]{1,31};))
      | (?P<code>%u[0-9a-f]{4}
          | (?<!\\)\\++(?:(?-i:U)[0-9a-f]{8}|u\{[0-9a-f]{1,6}\}|u[0-9a-f]{4}|x[0-9a-f]{2}))
      | (?<!\\)\\++(?:(?P<marked>[@.:])|(?P<space>[nrt]))
      | (?P<at>=40(?=[a-z])|(?<!\\)\\++100(?=[a-z])|(?<=\w)[ +]at[ +](?=[\w-]{1,63}[ +]dot[ +]))
      | (?P<dot>=2E(?=[a-z])|(?<=\w)[ +]dot[ +](?=\w))
      | [ +]?[\[({<][ +]?(?P<bracketed>at|dot|[@.:])[ +]?[\])}>][ +]?""",
    re.VERBOSE | re.I,
)
# Of ASCII texts, all but a few letters: `+` and `/` stand for `>` and `?` alone, and end a group of four.
BASE64 = re.compile(r"[A-Za-z0-9]{12,}+")
BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
WORDS = {"at": "@", "dot": ".", "space": " "}


class Reading(NamedTuple):
    """A text as it can be read, and where each letter begins and ends in the text as sent."""

    text: str
    begins: Sequence[int]
    ends: Sequence[int]


def masked(value: Any) -> Any:
    """A copy in whose texts e-mail and IP addresses are replaced."""
    return _masked(value, 0)


def masked_text(text: str) -> str:
    """The text without e-mail and IP addresses."""
    found = []
    for reading in _readings(text):
        if reading is None:
            return UNREAD
        begins, ends = reading.begins, reading.ends
        found += [(begins[at], ends[to - 1], word) for at, to, word in _addresses(reading.text)]
    return _replaced(text, found) if found else text


def _masked(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return masked_text(value)
    if depth > DEEPEST:
        return None
    if isinstance(value, dict):
        return {masked_text(str(name)): _masked(item, depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        return [_masked(item, depth + 1) for item in value]
    return value


def _replaced(text: str, found: list[tuple[int, int, str]]) -> str:
    """Of addresses that overlap, the first names what stands for all."""
    parts, done = [], 0
    for begins, ends, word in sorted(found):
        if begins >= done:
            parts += [text[done:begins], word]
        done = max(done, ends)
    return "".join([*parts, text[done:]])


def _addresses(text: str) -> Iterator[tuple[int, int, str]]:
    if "@" in text:
        yield from ((*match.span(), "[email]") for match in EMAIL.finditer(text))
    if "." in text:
        yield from ((*match.span(), "[IP]") for match in IPV4.finditer(text) if _is_ipv4(match[0]))
    if "//" in text:
        yield from ((*match.span("host"), "[IP]") for match in HOST.finditer(text))
    if ":" in text:
        yield from (found for match in MAYBE_IPV6.finditer(text) for found in _ipv6(match))


def _is_ipv4(text: str) -> bool:
    """No host has an address that ends in three zeros; a browser has such a version: Chrome/120.0.0.0."""
    parts = text.split(".")
    return not text.endswith(".0.0.0") and all(part[0] == "0" or int(part) < 256 for part in parts)


def _ipv6(match: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    groups = match[0].split(":")
    for first, last in PARTS_OF_IPV6:
        part = ":".join(groups[first:last])
        # `Foo::Add::Be` is a name: beside a label, only what has a digit is an address.
        if _is_ipv6(part) and (first is None or any(map(str.isdigit, part))):
            begins = match.start() + (len(groups[0]) + 1 if first else 0)
            yield begins, begins + len(part), "[IP]"


def _is_ipv6(text: str) -> bool:
    try:
        return int(IPv6Address(text)) != 0
    except AddressValueError:
        return False


def _readings(text: str) -> Iterator[Reading | None]:
    """The text as sent, then decoded again and again; None: there is no end of it."""
    reading = Reading(text, range(len(text)), range(1, len(text) + 1))
    yield reading
    for _ in range(MOST_READINGS):
        before = reading
        for pattern, meaning in ((BEYOND_ASCII, _folded), (ESCAPE, _decoded), (BASE64, _of_base64)):
            reread = _reread(reading, pattern, meaning)
            if reread is not reading:
                yield reread
            reading = reread
        if reading is before:
            return
    yield None


def _reread(reading: Reading, pattern: re.Pattern[str], meaning: Callable[[re.Match[str]], str]) -> Reading:
    parts: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    done = 0
    for match in pattern.finditer(reading.text):
        at, to = match.span()
        if (meant := meaning(match)) == match[0]:
            continue
        parts += [reading.text[done:at], meant]
        begins += [*reading.begins[done:at], *[reading.begins[at]] * len(meant)]
        ends += [*reading.ends[done:at], *[reading.ends[to - 1]] * len(meant)]
        done = to
    if not parts:
        return reading
    return Reading(
        "".join([*parts, reading.text[done:]]),
        [*begins, *reading.begins[done:]],
        [*ends, *reading.ends[done:]],
    )


def _folded(match: re.Match[str]) -> str:
    """The plain letter for a wide or circled one, the digit of any script, nothing for what is not seen."""
    letter = match[0]
    if letter.isdecimal():
        return str(unicodedata.decimal(letter))
    if unicodedata.category(letter) == "Cf" or "\ufe00" <= letter <= "\ufe0f":
        return ""
    return "." if letter == "。" else unicodedata.normalize("NFKC", letter)


def _decoded(match: re.Match[str]) -> str:
    kind, sent = match.lastgroup, match[match.lastgroup or 0]
    if kind == "percent":
        return unquote(sent)
    if kind == "html":
        return html.unescape(sent)
    if kind == "code":
        number = int(sent.lower().replace("x", "u").rpartition("u")[2].strip("{}"), 16)
        return chr(number) if number < 0x110000 else sent
    return WORDS.get(kind or "") or WORDS.get(sent.lower(), sent)


def _of_base64(match: re.Match[str]) -> str:
    """The text itself if it is none, as most words are."""
    text = match[0]
    try:
        decoded = b64decode(text[: len(text) - (len(text) % 4 == 1)] + "===").decode()
    except ValueError:
        return text
    return decoded if decoded.replace("\n", "").isprintable() else text

"""Ways to write an e-mail or IP address, and a reader who decodes a page as browsers and people do."""

import base64
import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import quote, unquote_plus

# The number of what was planted is in the address.
EMAIL = "lovelace{}x@shop.example"
IPV4 = "10.77.{}.{}"
IPV6 = "2001:db8:77::{:x}"


def _all_percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def _wide(text: str) -> str:
    return "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text)


def _base64(text: str) -> str:
    return base64.b64encode(json.dumps({"sub": 7, "email": text}).encode()).decode()


OF_EMAILS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "capitals": str.upper,
    "mailto": lambda text: f"<mailto:{text}>",
    "before a full stop": lambda text: f"sent to {text}.",
    "plus": lambda text: text.replace("@", "+shop@"),
    "apostrophe": lambda text: f"o'{text}",
    "quoted local part": lambda text: '"{} b"@{}'.format(*text.split("@")),
    "returned": lambda text: f"bounce+{text.replace('@', '=')}@list.example",
    "address literal": lambda text: text.replace("shop.example", "[10.77.1.1]"),
    "international": lambda text: text.replace("shop", "münchen"),
    "cut": lambda text: f"{text[:-8]}…",
    "cut with dots": lambda text: f"{text[:-4]}...",
    "percent": quote,
    "percent, small": lambda text: quote(text).replace("%40", "%2540".lower()),
    "percent, all": _all_percent,
    "percent, twice": lambda text: quote(quote(text)),
    "percent, five times": lambda text: text.replace("@", "%2525252540"),
    "percent u": lambda text: text.replace("@", "%u0040"),
    "percent of a wide sign": lambda text: quote(text.replace("@", "＠")),
    "entity": lambda text: text.replace("@", "&#64;"),
    "entity, hexadecimal": lambda text: text.replace("@", "&#x40;"),
    "entity, named": lambda text: text.replace("@", "&commat;").replace(".", "&period;"),
    "entity, twice": lambda text: text.replace("@", "&amp;#64;"),
    "entity, without its end": lambda text: text.replace("@", "&#064"),
    "entity of all": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "percent of an entity": lambda text: quote(text.replace("@", "&#64;")),
    "entity of a percent": lambda text: text.replace("@", "&#37;40"),
    "JSON": lambda text: text.replace("@", "\\u0040"),
    "JSON within JSON": lambda text: text.replace("@", "\\\\u0040"),
    "JSON of all": lambda text: "".join(f"\\u{ord(letter):04X}" for letter in text),
    "JavaScript": lambda text: text.replace("@", "\\x40"),
    "JavaScript, braces": lambda text: text.replace("@", "\\u{40}"),
    "Python": lambda text: text.replace("@", "\\U00000040"),
    "octal": lambda text: text.replace("@", "\\100"),
    "quoted-printable": lambda text: text.replace("@", "=40"),
    "quoted-printable, both": lambda text: text.replace("@", "=40").replace(".", "=2E"),
    "backslashes": lambda text: text.replace("@", "\\@").replace(".", "\\."),
    "wide sign": lambda text: text.replace("@", "＠"),
    "small sign": lambda text: text.replace("@", "﹫"),
    "wide": _wide,
    "ideographic stop": lambda text: text.replace(".", "。"),
    "not seen": "\u200b".join,
    "soft hyphens": lambda text: text.replace("@", "\u00ad@\u2060"),
    "brackets": lambda text: text.replace("@", "[at]").replace(".", "[dot]"),
    "parentheses": lambda text: text.replace("@", " (at) "),
    "words": lambda text: text.replace("@", " at ").replace(".", " dot "),
    "words in a query": lambda text: text.replace("@", "+at+").replace(".", "+dot+"),
    "spaces": lambda text: text.replace("@", " @ "),
    "Base64": _base64,
    "Base64 in a URL": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
}
OF_IPV4: dict[str, Callable[[str], str]] = {
    "IPv4": str,
    "IPv4 before a full stop": lambda text: f"refused {text}.",
    "IPv4 after a letter": lambda text: f"ip{text}",
    "IPv4 with a port": lambda text: f"{text}:8080",
    "IPv4 of a network": lambda text: f"{text}/24",
    "IPv4 in a name": lambda text: f"{text}.in-addr.example",
    "IPv4, filled": lambda text: ".".join(part.zfill(3) for part in text.split(".")),
    "IPv4, percent": lambda text: text.replace(".", "%2E"),
    "IPv4, twice": lambda text: text.replace(".", "%252E"),
    "IPv4, entities": lambda text: text.replace(".", "&#46;"),
    "IPv4, wide": _wide,
    "IPv4, brackets": lambda text: text.replace(".", "[.]"),
    "IPv4, JSON": lambda text: text.replace(".", "\\u002e"),
    "IPv4, octal": lambda text: ".".join(f"0{int(part):03o}" for part in text.split(".")),
    "IPv4, hexadecimal": lambda text: ".".join(f"0x{int(part):x}" for part in text.split(".")),
    "IPv4, a number": lambda text: f"http://{_number(text)}/",
    "IPv4, a hexadecimal number": lambda text: f"http://0x{_number(text):08x}/",
    "IPv4 as IPv6": lambda text: f"::ffff:{text}",
}
OF_IPV6: dict[str, Callable[[str], str]] = {
    "IPv6": str,
    "IPv6, capitals": str.upper,
    "IPv6, in full": lambda text: text.replace("::", ":0000:0000:0000:0000:"),
    "IPv6 before a full stop": lambda text: f"refused {text}.",
    "IPv6 after a label": lambda text: f"ip:{text}",
    "IPv6 with a port": lambda text: f"[{text}]:8080",
    "IPv6 with a port, bare": lambda text: text.replace("::", ":0:0:0:0:") + ":8080",
    "IPv6 of a network": lambda text: f"{text}/64",
    "IPv6 of an interface": lambda text: f"{text}%eth0",
    "IPv6, percent": quote,
    "IPv6, twice": lambda text: quote(quote(text)),
    "IPv6 in brackets, percent": lambda text: quote(f"[{text}]"),
    "IPv6, entities": lambda text: text.replace(":", "&#58;"),
    "IPv6, JSON": lambda text: text.replace(":", "\\u003a"),
    "IPv6, wide": _wide,
}


def _number(text: str) -> int:
    return int.from_bytes(map(int, text.split(".")))


def writings(number: int) -> dict[str, str]:
    """Each way, of addresses that have the number in them."""
    ipv4, ipv6 = IPV4.format(number // 250 + 1, number % 250 + 1), IPV6.format(0x1000 + number)
    return (
        {name: write(EMAIL.format(number)) for name, write in OF_EMAILS.items()}
        | {name: write(ipv4) for name, write in OF_IPV4.items()}
        | {name: write(ipv6) for name, write in OF_IPV6.items()}
    )


FOUND = re.compile(
    r"lovelace\d+x|(?<!\d)0*10\.0*77\.\d+\.\d+|0?012\.0?115\.\d+\.\d+|0xa\.0x4d\.\w+\.\w+"
    r"|//0x0a4d\w{4}|//1728\d{5}|(?:2001|0?db8):(?:0?db8:)?0*77:[:0-9a-f]+",
    re.I,
)
CODE = re.compile(r"\\+(?:u\{?([0-9a-f]{1,4})\}?|x([0-9a-f]{2})|U([0-9a-f]{8}))", re.I)


def read(page: str) -> Iterator[str]:
    """The page as it is, and decoded again and again in every way a reader knows."""
    seen: set[str] = set()
    while page not in seen and len(seen) < 12:
        seen.add(page)
        yield page
        page = unquote_plus(html.unescape(page).replace("%u0040", "@"))
        page = page.replace("[.]", ".")
        page = CODE.sub(lambda found: chr(int(found[1] or found[2] or found[3], 16)), page)
        page = unicodedata.normalize("NFKC", page)
        page = "".join(letter for letter in page if unicodedata.category(letter) != "Cf")
        page = re.sub(r"[A-Za-z0-9]{16,}", _decoded, page)


def addresses_in(page: str) -> set[str]:
    return {found for text in read(page) for found in FOUND.findall(text)}


def _decoded(match: re.Match[str]) -> str:
    try:
        return base64.b64decode(match[0] + "===").decode("ascii")
    except ValueError:
        return match[0]

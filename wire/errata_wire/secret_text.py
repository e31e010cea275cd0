"""Secrets in names and texts: which names hold one, and where in a text one stands.

The SDK filters by these rules before a line is written, the server again before a row is stored. All patterns
are linear: each starts at a fixed word, and what may repeat without end is never tried twice at one place.
"""

import base64
import re
from binascii import Error as Base64Error
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote, unquote_plus

FILTERED = "[FILTERED]"
Span = tuple[int, int]

# Matched against a name written `_like_this_`.
_SENSITIVE = re.compile(
    r"passw|passphrase|passcode|kennwort|has[l\u0142]o|\u043f\u0430\u0440\u043e\u043b\u044c|mot_?de_?passe|contrase|senha|palavra_?passe|wachtwoord|senord|geheim"
    r"|secret|(api|access|private|account|subscription|licen[cs]e|fernet|master|deploy|ssh|application)_?key"
    r"|bearer|credit_?card|card_?number|session_?id|phpsessid|client_assertion|saml_?response|code_verifier"
    r"|connection_?strings?|(account|routing)_?number|social_security|mnemonic|(seed|recovery|backup)_?phrase"
    r"|(recovery|backup|verification)_?code|(access|auth|refresh|csrf|xsrf|id)_?token|csrfmiddleware|_hmac"
    r"|_(token|jwt|jeton|pwd|pw|psw|mdp|clave|mysqlpwd|authorization|authentication|credentials?|cookies?)_"
    r"|_(csrf|xsrf|totp|cvv2?|cvc2?|ccv|iban|ssn|card_(no|cvc|code)|cc_(csc|number)|csc|security_code)_"
    r"|_(pin_?code|pin_number|one_time_code|signing_key|encryption_key|auth_key|connect_sid)_"
    r"|_(user|x|errata|laravel)_session_|[a-z0-9]_(pass|answer|auth)_$|[a-z0-9](token|auth|credentials?)_$|_signature(_\d+)?_$"
    r"|oauth2?_(state_)?$|auth_?(data|value)_$|token_?(value|data)_$"
    r"|^_(auth|session|pin|otp|pass|tokens|dsn|symfony)_$"
)
# Counts of language-model tokens, kinds, names and limits are figures, not secrets.
_HARMLESS = re.compile(
    r"_(max|min|input|output|total|prompt|completion|reasoning|cached)_token_|_cookies?_enabled_"
    r"|_(type|names?|fields?|length|count|expires(_in|_at)?|expiry|ttl|validators?|policy|enabled|required)_$"
    r"|_token_(url|uri|endpoint)_$|_(method|function|type|call)_signature_$|_(first|second|render)_pass_$"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS = re.compile(r"[^a-z0-9\u0142\u0430-\u044f]+")
LONGEST_NAME = 200


@lru_cache(maxsize=8192)
def is_sensitive(name: str) -> bool:
    """Whether the value under this name is a secret, however the name is written."""
    words = f"_{words_of(name)}_"
    return bool(_SENSITIVE.search(words)) and not _HARMLESS.search(words)


def words_of(name: str) -> str:
    """A name `like_this`, however it is written."""
    return _SEPARATORS.sub("_", _CAMEL.sub("_", name[:LONGEST_NAME]).lower()).strip("_")


# Where a name may stand in a text of lower case; `is_sensitive` decides about the whole name.
_NAMES = (
    *"passw|passphrase|passcode|secret|token|bearer|pwd|credential|cookie|csrf|xsrf|jwt|authorization".split(
        "|"
    ),
    *"authentication|kennwort|mot[ _.-]?de[ _.-]?passe|contrase|senha|palavra[ _.-]?passe".split("|"),
    *"has\u0142o|haslo|\u043f\u0430\u0440\u043e\u043b\u044c|wachtwoord|senord|geheim|jeton|mdp|clave|pw|psw|signature|hmac|answer|mnemonic|saml".split(
        "|"
    ),
    *"code_verifier|connection[ _.-]?string|social[ _.-]security|credit[ _.-]?card|card[ _.-]?[nc]".split(
        "|"
    ),
    *"cc[ _.-]?number|csc|user[ _.-]?session|session|phpsessid|connect\\.sid".split("|"),
    *"security[ _.-]?code|pin|otp|auth|pass|dsn|cvv|cvc|ccv|iban|ssn|client_assertion".split("|"),
    *(
        rf"{which}[ _.-]?{what}"
        for what, kinds in {
            "key": "api|access|private|account|subscription|signing|encryption|auth|licen[cs]e|fernet|master"
            "|deploy|ssh|application",
            "number": "account|routing",
            "phrase": "seed|recovery|backup",
            "code": "recovery|backup|verification|time",
        }.items()
        for which in kinds.split("|")
    ),
)


def _by_first_letter(alternatives: Iterable[str]) -> str:
    """The same alternatives, of which few are tried at a letter: it takes a fifth of the time."""
    rests: dict[str, list[str]] = {}
    for alternative in sorted(alternatives, key=len, reverse=True):
        rests.setdefault(alternative[0], []).append(alternative[1:])
    return "|".join(f"{letter}(?:{'|'.join(rest)})" for letter, rest in rests.items())


_NAME = re.compile(_by_first_letter(_NAMES))
# The rest of an escape of a URL, which may be encoded in turn.
_CODED = re.compile(r"(?:25){0,3}[0-9A-Fa-f]{2}")
_BREAKS = frozenset((r"\n", r"\r", r"\t"))
_NAME_REST = re.compile(r"(?:[\w$.-]|\\{1,16}u00[c-f][0-9a-f]){0,80}")
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_$.-")
_LOWER = {upper: upper + 32 for upper in range(65, 91)}
# Names whose value is a secret even as a plain word or number.
_STRONG = re.compile(
    r"pass[wcep]|[\w.-]pass|pwd|phrase|secret|key|credential|card|cvv|cvc|csc|pin|otp|ssn|iban|kennwort|contrase|senha|pw|psw|clave"
    r"|mnemonic|number|wachtwoord|senord|answer|has[l\u0142]o|\u043f\u0430\u0440\u043e\u043b\u044c"
)
# Between a name and its value: the quote of the name, the bracket of a form's field, the sign itself.
_ASSIGNED = re.compile(
    r"""(\\*["'`]|%22|&quot;|&\#39;)?(?:\]|%5[Dd])?([ \t\u00a0\u202f]*)"""
    r"""(=>|:=|={1,3}|:(?!:|//)|%(?:25){0,3}3[DdAa])([ \t]*)"""
)
# Where a name and its value are not joined by a sign: in XML, forms, PHP, lists of names and values.
_THEN = re.compile(
    r"""\\*+["'](?:\]=>(?:\s|\\++[nrt]){1,20}+string\(\d{1,9}\)[ ]|;s:\d{1,9}:)(?=\\*+["'])"""
    r"""|(?P<field>(?:\\*+["'])?+,?+(?:\s|\\++[nrt]){0,40}+(?:\\*+["'])?+"""
    r"""(?:value|content|rejectedValue|input)(?:\\*+["'])?+[ ]?[:=][ ]?"""
    r"""(?:\{\s{0,9}\\*+"\w{1,9}Value\\*+"\s{0,9}:\s{0,9})?+)"""
    r"""|(?P<part>\\*+["'](?:\r?\n\r?\n|(?:\\++[rn]){2,4}+))"""
    r"""|(?P<element>(?:\\*+["'])?+(?:\s[^<>]{0,200}+)?+(?:>|&gt;)(?:\s{0,20}+<string>)?+|</key>\s{0,20}+<string>)"""
    r"""|(?P<check>\n[^\n]{0,300}?input_value=)""",
    re.IGNORECASE,
)
# What stands before the name in an element: looked for in the 120 characters before it.
_ELEMENT_OPENED = re.compile(
    r"""(?:(?:<|&lt;)(?:[\w-]{1,40}:)?|<[\w-]{1,40}[^<>]{0,60}\sname=\\{0,20}["']?|<key>)$""", re.IGNORECASE
)
_OF_ELEMENT = re.compile(r"[^<>&]+(?=</|&lt;/)")
_OF_PART = re.compile(r"[^\r\n\\\"]+")
_BRACKETED = re.compile(r"[\[{]([^\s\[\]{}()'\"`,;]{1,200})[\]}]")
_COMPARED = re.compile(r"[ \t]+(?:like|in[ \t]*\()[ \t]*(?=N?\\*')", re.I)
# A password told in plain words, where it is no word.
_PASSWORD = re.compile(
    r"passw|pwd|passphrase|passcode|kennwort|de[ _.-]?passe|contrase|senha|wachtwoord|senord"
    r"|has[l\u0142]o|\u043f\u0430\u0440\u043e\u043b\u044c"
)
_SAID_NAME = re.compile(_PASSWORD.pattern + r"|(?:api|access|secret)[ _.-]?key|client[ _.-]?secret")
_SAID = re.compile(
    r"(?:[ \t]|\\++t){1,8}+(?:"
    r"(?:is|was|provided|given|(?:changed|re)?(?:set)? ?to|->|\||for[ ]\S{1,80}):?[ \t]{1,8})?"
    r"(?P<value>[A-Za-z0-9!@$%^*_+-]{8,})(?=[\s.,;|\"'\\)\]}>]|$)"
)
# As a plain word: at the end of what is said, or on a line of its own.
_SAID_WORD = re.compile(
    r"[ \t]{1,4}(?:is|was|ist|est|es)[ \t]{1,4}(?P<value>[^\W\d_]{4,40})(?=[.!,;]?(?:$|[\s\"'\\)\]>]))",
    re.I,
)
_ON_A_LINE = re.compile(
    r"(?:[ \t]|\\++[nrt]|[\r\n]){1,8}+(?P<value>[^\s\"'`<>{}\[\]():,;=\\]{4,200})(?=$|[\s\"'\\])"
)
# What follows `password:` and `password is` in a message that tells none.
_PROSE = frozenset(
    "after again already also always another any array auto available await because been before being"
    " between blank bool boolean both bytes callback cannot case change char characters compare confirm"
    " confirmation correct could current-password default defaults denied different does either email"
    " empty ensure enter equal error errors exactly fails failure false field fields file fine forbidden"
    " forgot forgotten from function given good hash have held here hidden http https identical incorrect"
    " input instead integer into invalid just kept label later leave less like login long longer lost made"
    " make mandatory many match matches might mismatch missing more most must name never new-password"
    " newpassword next none nothing null number object often okay only optional other over path plain"
    " please port rather required reset safe same secret secure sensitive sent shall short shorter should"
    " show shown similar some still string strong such take text than that their them then there they this"
    " those through true twice type unauthorized unchanged undefined under unknown unsafe unset until used"
    " user username using valid value varchar very void weak were what when whenever where whether which"
    " while will with within without would written wrong your".split()
)
LONGEST_STATEMENT = 4_000
_WORDS_OF_STATEMENT = re.compile(r"[A-Za-z_][\w$]{1,80}+")
_PARAMETERS = re.compile(r"\[parameters: ?(?=[(\[])")
_END_OF_PARAMETERS = re.compile(r"[)\]]\]|[\r\n]|$")
_BRACED = re.compile(r"\{((?:[^{}\r\n\"']|\}\}){1,200}+)\}")
_COLUMNS = re.compile(r"\(([\w\s,.\"`\\]{1,2000})\)\s{0,20}(?:values\s{0,20}|=)(?=\()", re.I)
_NEXT_ROW = re.compile(r"\s*\)\s*,\s*")
_AROUND_NAME = ' \n\t\r\\"`'
_CELL = re.compile(r"[\s,]*+(?:N?('(?:[^'\\]|\\.|'')*+'?)|([^,()']*+))")
_TOLD = re.compile(r"(?:[ \t]+(?:is[ \t]+|was[ \t]+)?|\()(?=\\*[\"'`])", re.I)
_PAIRED = re.compile(r"""(\\*["'])\s*,\s*b?(?=\1)""")
_PAIR_OPENED = re.compile(r"""[\[(]\s*b?\\*["']$""")
_OPENED = re.compile(
    r"""\s*+(?:\w{0,20}Secret\w{0,20}\()?([\[(]?)\s*+[bBuUrRfFN]{0,2}(\\*["'`]|%22|&quot;|&\#39;)"""
)
_BRACES = re.compile(r"[{}]")
_NEXT = re.compile(r"\s*,\s*[bBuUrRfF]{0,2}")
_SCHEME = re.compile(
    r"(?:Bearer|Basic|Digest|Token|ApiKey|Negotiate|NTLM|Signature|AWS4-HMAC-SHA256)\s+", re.I
)
_REST_OF_LINE = re.compile(r"""(?:=\\*+"[^"\\\r\n]*\\*+"|=\\*+'[^'\r\n]*'|[^\r\n"'\\])*+""")
_SCHEME_OF_ANY = re.compile(r"[A-Za-z][\w-]{1,30}[ ]+(?=[^\s\"'\\]{8})")
_TIGHT = re.compile(r"[^\s\"'`<>()\[\]{},;&|\\]+")
_LOOSE = re.compile(r"[^\s\"'`<>()\[\]{},\\]+")
_WORD = re.compile(r"[A-Za-z_][A-Za-z_.:/!?-]*")
_FLAG = re.compile(r"[ ]+")
# What was taken for a value may be the next name: `auth :password=>"x"`.
_NEXT_NAMED = re.compile(r"[\w.$-]{1,60}(?:=>?)?$")
_QUOTED_NEXT = re.compile(r"""[=:>]{0,2}[ ]?\\*["'`]""")


class Names(NamedTuple):
    """Names whose values are secrets, inside of texts."""

    pattern: re.Pattern[str] = _NAME
    """Where one may stand in a text of lower case."""
    is_secret: Callable[[str], bool] = is_sensitive
    """Decides about the whole name that stands there."""
    strong: re.Pattern[str] = _STRONG
    """Those of names in lower case whose value is a secret even as a plain word or number."""


NAMES = Names()
_NOT_A_VALUE = frozenset(
    "is was are and or not must cannot can for to the a an option flag argument requires required has with"
    " without in on of".split()
)
# What stands for a value or says that there is none.
_NOTHING = re.compile(
    r"(?:none|null|nil|undefined|true|false|nan|n/a|\[?filtered\]?|\[?redacted\]?|masked)"
    r"|[*•._-]+|[$%#@]|x{3,}|%\w?|%\(\w{1,80}\)s|\?|\$\d+|\$?\{+[^{}]{0,80}\}+|\$[A-Z_]+|:[a-z_]+|<[^<>]{0,200}>",
    re.IGNORECASE,
)


def is_nothing(value: str) -> bool:
    """Whether a value says that there is none, or stands for one: `None`, `***`, `%s`, `[FILTERED]`."""
    return not value or (len(value) <= 250 and _NOTHING.fullmatch(value) is not None)


# Packages and their versions, and remarks of the SDK on what it cut: no name says what its value is.
NAMES_OF_OTHERS = frozenset({"modules", "_meta", "sdk"})
SOURCE_LINES = frozenset({"context_line", "pre_context", "post_context"})
_OF_NAMED_VALUES = ("name", "key", "field", "header", "loc")
_PRIVATE_PARTS = frozenset(("d", "p", "q", "dp", "dq", "qi", "k"))
_VALUES_OF_NAMES = ("value", "rejectedValue", "input")
# Card numbers have 13 digits and more.
SMALLEST_CARD_NUMBER = 10**12
Places = Mapping[str, "Places"]
"""Where a payload holds ids, by name; lists hold them in their elements."""
NOWHERE: Places = {}
_ID: Places = {}
_OF_LINK = dict.fromkeys(("span_id", "parent_span_id", "segment_id"), _ID)
_OF_ATTRIBUTES = ("sentry.segment.id", "sentry.pageload.span_id", "sentry.trace.parent_span_id")
_OF_SPAN: Places = {
    **_OF_LINK,
    "links": _OF_LINK,
    "data": dict.fromkeys(_OF_ATTRIBUTES, _ID),
    "attributes": {name: {"value": _ID} for name in _OF_ATTRIBUTES},
}
SPAN_IDS: Places = {**_OF_SPAN, "contexts": {"trace": _OF_SPAN}, "spans": _OF_SPAN, "items": _OF_SPAN}
"""Where the protocol puts the ids of spans: of sixteen digits alone, one may look like a card number. Longer
ids never do."""
_HEX = frozenset("0123456789abcdef")
Hide = Callable[[Any], Any]


def is_span_id(places: Places, name: str, value: Any) -> bool:
    """Whether the protocol puts the id of a span under the name here, and the value is one."""
    return places.get(name) is _ID and isinstance(value, str) and len(value) == 16 and _HEX.issuperset(value)


def hide_paired(node: list[Any], is_secret: Callable[[str], bool], hide: Hide) -> None:
    """`["Authorization", "Bearer x"]` as headers come, `["--password", "x"]` as programs are called."""
    is_pair = len(node) == 2
    for position in range(len(node) - 1):
        name = node[position]
        if type(name) is not str or not (is_pair or name.startswith("--")) or not is_secret(name.lstrip("-")):
            continue
        value = node[position + 1]
        if is_pair or (type(value) is str and not value.startswith("-")):
            node[position + 1] = hide(value)


def hide_named(node: dict[str, Any], is_secret: Callable[[str], bool], hide: Hide) -> None:
    """`{"name": "password", "value": "x"}`, an input of a recorded page, what a validator refused, a JSON web
    key."""
    if "kty" in node:
        for part in _PRIVATE_PARTS & node.keys():
            node[part] = hide(node[part])
    for under in _VALUES_OF_NAMES:
        if under not in node:
            continue
        if under == "value" and node.get("type") == "password":
            node[under] = hide(node[under])
        for word in _OF_NAMED_VALUES:
            name = node.get(word)
            if word == "loc" and type(name) is list and name:
                name = name[-1]
            if type(name) is str and is_secret(name):
                node[under] = hide(node[under])


def _assigned_spans(text: str, lowered: str, is_source: bool, names: Names) -> Iterator[Span]:
    """Values after sensitive names: `password=x`, `'token': 'x'`, `("authorization", "x")`, `--secret x`."""
    at = 0
    while found := names.pattern.search(lowered, at):
        rest = _NAME_REST.match(lowered, found.end())
        end = rest.end() if rest else found.end()
        at = end
        start = found.start()
        while start > 0 and found.start() - start < 80 and lowered[start - 1] in _NAME_CHARACTERS:
            start -= 1
        if text[start - 1 : start] == "%" and (coded := _CODED.match(text, start, found.start())):
            start = coded.end()
        elif start < found.start() and text[start - 1 : start + 1] in _BREAKS:
            start += 1
        # A sentence's full stop or a dash is no part of a name.
        name = text[start:end].strip(".-$")
        if not names.is_secret(name):
            continue
        name = name.lower()
        spans = _values(text, start, end, name, is_source, names.strong.search(name) is not None)
        yield from spans
        if spans:
            at = max(at, spans[-1][1])
            next_named = (
                _NEXT_NAMED.search(text, max(end, at - 80), at) if _QUOTED_NEXT.match(text, at) else None
            )
            if next_named and spans[-1][0] <= next_named.start():
                at = next_named.start()


def _values(text: str, start: int, end: int, name: str, is_source: bool, is_strong: bool) -> list[Span]:
    spans = [] if is_source else _values_apart(text, start, end)
    if spans:
        return spans
    sign = _ASSIGNED.match(text, end)
    if sign:
        return _after_sign(text, sign, name, is_source, is_strong)
    if is_source:
        return []
    told = _TOLD.match(text, end) if is_strong else None
    if told:
        return _quoted(text, told.end())
    pair = _PAIRED.match(text, end)
    if pair and text.startswith("--", start):
        return _quoted(text, pair.end())
    if pair:
        if _PAIR_OPENED.search(text, max(0, start - 16), start) is None:
            return []
        spans = _quoted(text, pair.end())
        is_closed = spans and text[spans[-1][1] + len(pair[1]) :][:4].lstrip()[:1] in ("]", ")")
        return spans if is_closed else []
    flag = _FLAG.match(text, end) if text.startswith("--", start) else None
    if flag is None:
        return _said(text, end, name)
    spans = _quoted(text, flag.end())
    if spans:
        return spans
    value = _LOOSE.match(text, flag.end())
    if value is None or value[0].startswith("-") or value[0].lower() in _NOT_A_VALUE or is_nothing(value[0]):
        return []
    return [value.span()]


def _values_apart(text: str, start: int, end: int) -> list[Span]:
    """`<password>x</password>`, `"name": "password", "value": "x"`, `password LIKE 'x'`, parts of a form."""
    compared = _COMPARED.match(text, end)
    if compared:
        return _quoted(text, compared.end())
    then = _THEN.match(text, end)
    if then is None:
        return []
    at = then.end()
    if then["element"]:
        if _ELEMENT_OPENED.search(text, max(0, start - 120), start) is None:
            return []
        value = _OF_ELEMENT.match(text, at)
    elif then["part"]:
        value = _OF_PART.match(text, at)
    else:
        spans = _quoted(text, at)
        if spans or not then["field"]:
            return spans
        value = _LOOSE.match(text, at)
    return [value.span()] if value and not is_nothing(value[0].strip()) else []


def _said(text: str, end: int, name: str) -> list[Span]:
    if _SAID_NAME.search(name) is None:
        return []
    said = _SAID.match(text, end)
    if said and _is_mixed(said["value"]):
        return [said.span("value")]
    if _PASSWORD.search(name) is None:
        return []
    said = _SAID_WORD.match(text, end)
    if said:
        return [] if _is_prose(said["value"]) else [said.span("value")]
    return _on_a_line(text, end, is_mixed=True)


def _on_a_line(text: str, at: int, *, is_mixed: bool) -> list[Span]:
    """What stands alone on the next line."""
    alone = _ON_A_LINE.match(text, at) if text[at : at + 1] in ("\n", "\r", "\\") else None
    if alone is None or is_nothing(alone["value"]):
        return []
    is_one = _is_mixed(alone["value"]) if is_mixed else not _is_prose(alone["value"])
    return [alone.span("value")] if is_one else []


def _is_prose(word: str) -> bool:
    """Whether a plain word says something about a password rather than being one."""
    word = word.lower()
    return not _is_mixed(word) and (
        word in _PROSE or word.endswith(("ed", "ing", ".", "_")) or is_sensitive(word)
    )


def _parameter_spans(text: str, names: Names) -> Iterator[Span]:
    """`[SQL: … password = ?] [parameters: ('x',)]`: all parameters of a statement that names a secret."""
    for opened in _PARAMETERS.finditer(text):
        statement = text[max(0, opened.start() - LONGEST_STATEMENT) : opened.start()]
        if any(names.is_secret(name) for name in _WORDS_OF_STATEMENT.findall(statement)):
            closed = _END_OF_PARAMETERS.search(text, opened.end())
            yield opened.end() + 1, closed.start() if closed else len(text)


def _column_spans(text: str, names: Names) -> Iterator[Span]:
    """`(name, password) VALUES ('ann', 'x')` and `Key (token)=(x)`: the value at the place of the name."""
    for columns in _COLUMNS.finditer(text):
        hidden = [names.is_secret(name.strip(_AROUND_NAME)) for name in columns[1].split(",")]
        if not any(hidden):
            continue
        at = columns.end()
        while text[at : at + 1] == "(":
            at += 1
            for is_hidden in hidden:
                cell = _CELL.match(text, at)
                if cell is None:
                    break
                value = cell[1] or cell[2] or ""
                if is_hidden and not is_nothing(value.strip("' ")):
                    yield cell.span(1 if cell[1] else 2)
                at = cell.end()
            closed = _NEXT_ROW.match(text, at)
            at = closed.end() if closed else len(text)


def _after_sign(text: str, sign: re.Match[str], name: str, is_source: bool, is_strong: bool) -> list[Span]:
    named_quote, before, symbol, after = sign.groups()
    at = sign.end()
    spans = _quoted(text, at)
    if spans or is_source:
        return spans
    if text[at : at + 1] in ("\n", "\r", "\\"):
        return _on_a_line(text, at, is_mixed=False) if _PASSWORD.search(name) else []
    if _OPENED.match(text, at):
        # An empty value, or a placeholder in quotes.
        return []
    if named_quote and text[at : at + 1] == "{":
        return [(at + 1, _closing_brace(text, at))]
    is_tight = symbol[-2:] in ("=", "3D", "3d") and not before and not after
    if "authorization" in name:
        scheme = _SCHEME.match(text, at)
        if scheme:
            whole = scheme[0].lower().startswith(("digest", "signature", "aws4"))
            value = (_REST_OF_LINE if whole else _LOOSE).match(text, scheme.end())
            return [value.span()] if value and value[0] and not is_nothing(value[0]) else []
        scheme = _SCHEME_OF_ANY.match(text, at)
        value = _LOOSE.match(text, scheme.end()) if scheme else None
        if value and _is_mixed(value[0]) and not is_nothing(value[0]):
            return [value.span()]
    if ("cookie" in name or "signature" in name) and not is_tight:
        value = _REST_OF_LINE.match(text, at)
        if "cookie" in name or (value and "=" in value[0]):
            return [value.span()] if value and "=" in value[0] else []
    braced = _BRACED.match(text, at) if is_strong and is_tight else None
    if braced and _is_mixed(braced[1]):
        return [braced.span(1)]
    bracketed = _BRACKETED.match(text, at) if symbol in (":", "=") and not after else None
    if bracketed and not is_nothing(bracketed[1]) and _is_mixed(bracketed[1]):
        return [bracketed.span(1)]
    value = (_TIGHT if is_tight else _LOOSE).match(text, at)
    if value is None or _is_code_or_prose(text, value, name, is_tight, is_strong, bool(named_quote)):
        return []
    return [(value.start(), value.start() + len(value[0].rstrip(".:!?") or value[0]))]


def _is_code_or_prose(
    text: str, value: re.Match[str], name: str, is_tight: bool, is_strong: bool, is_named: bool
) -> bool:
    """`password: required`, `token = get_token(request)`, `pass: 5` are none."""
    word = value[0]
    core = word.rstrip(".,:;!?")
    if is_nothing(core) or text[value.end() : value.end() + 1] in ("(", "["):
        return True
    if core.isdigit():
        return not is_strong and not is_tight and not is_named
    if _WORD.fullmatch(core) is None:
        return False
    if is_tight and "." not in core:
        # Arguments are often called as what they hold: `password=user_password`.
        return core.lower() == name or core.lower().startswith(("auth", "coo")) or is_sensitive(core)
    if _PASSWORD.search(name) and not set(core) & set("./:"):
        return len(core) < 4 or _is_prose(core)
    return len(core) < 30


def _quoted(text: str, at: int) -> list[Span]:
    """The values in quotes that begin here: one, or all of a list."""
    opened = _OPENED.match(text, at)
    spans: list[Span] = []
    if opened is None:
        return spans
    is_list, quote = bool(opened[1]), opened[2]
    start = opened.end()
    while True:
        end = _closing(text, start, quote)
        if not is_nothing(text[start:end].rstrip("\\")):
            spans.append((start, end))
        following = _NEXT.match(text, end + len(quote)) if is_list else None
        if following is None or not text.startswith(quote, following.end()):
            return spans
        start = following.end() + len(quote)


def _closing(text: str, start: int, quote: str) -> int:
    """Where the quote that opened before `start` closes; the end of a text that is cut off."""
    backslashes = len(quote) - 1 if quote[-1] in "\"'`" else -1
    at = text.find(quote, start)
    while at >= 0:
        if backslashes < 0:
            return at
        before = at
        while before > start and text[before - 1] == "\\":
            before -= 1
        # As many backslashes as the quote has, or pairs of them more, which are of the value.
        if (at - before) % (2 * backslashes + 2) == 0:
            return at
        at = text.find(quote, at + 1)
    return len(text)


def _closing_brace(text: str, at: int) -> int:
    depth = 0
    for brace in _BRACES.finditer(text, at):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return len(text)


class Kind(NamedTuple):
    """A secret that is known by its look. Group 1, where the pattern has one, is what is replaced."""

    name: str
    words: tuple[str, ...]
    """One of these is in every text that has it, or in its form."""
    pattern: re.Pattern[str]
    is_one: Callable[[str], bool] = bool


# Not inside of a longer word; after an escape such as `%3D` or `\n` it is a new one.
_LEFT = r"(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))"
_LEFT_NO_DASH = r"(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))"


def _is_basic(encoded: str) -> bool:
    try:
        return b":" in base64.b64decode(encoded + "=" * (-len(encoded) % 4))
    except (Base64Error, ValueError):
        return False


def _is_mixed(token: str) -> bool:
    return any(character.isdigit() for character in token) and any(map(str.isalpha, token))


def _is_opaque(token: str) -> bool:
    return len(token) >= 40 or _is_mixed(token)


_NETWORKS = re.compile(
    r"4\d{15}|4\d{18}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}"
    r"|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14}"
)


_NOT_DIGITS = re.compile(r"[^0-9]+")


def is_card_number(digits: str) -> bool:
    """A number of a card network whose check digit is right; what stands between digits does not count."""
    number = _NOT_DIGITS.sub("", digits)
    if _NETWORKS.fullmatch(number) is None or len(set(number)) == 1:
        return False
    doubled = (int(digit) * (1 + position % 2) for position, digit in enumerate(reversed(number)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _is_iban(text: str) -> bool:
    """With the right check digits; after spaces, the last groups may be another number."""
    groups = text.split(" ")
    accounts = ("".join(groups[:count]) for count in range(len(groups), 0, -1))
    return any(len(one) >= 15 and _has_check_digits(one) for one in accounts)


def _has_check_digits(account: str) -> bool:
    """Of an IBAN, by ISO 7064, MOD 97-10."""
    return int("".join(str(int(one, 36)) for one in account[4:] + account[:4])) % 97 == 1


def _is_drawn(token: str) -> bool:
    """Whether a part of an address is no word, number or name of a file."""
    return _is_mixed(token) and (token != token.lower() or len(token) >= 20)


# Neither a part of a longer word nor the name of a program's file.
_NO_FILE = (
    r"(?![\w-]|(?:\.\w{1,12}){0,2}\.(?:[cm]?[jt]sx?|css|map|vue|py|rb|php|java|go|cs|svg|png|jpe?g|gif|webp"
    r"|ico|woff2?)\b)"
)


def _kind(name: str, words: str, pattern: str, is_one: Callable[[str], bool] = bool) -> Kind:
    return Kind(name, tuple(words.split("|")), re.compile(pattern), is_one)


# Of a text: digits as `0`, capitals as `A`.
_FORM = {**dict.fromkeys(range(48, 58), "0"), **dict.fromkeys(range(65, 91), "A")}
_GAP = "[ ._\u00a0\u202f-]"
_CARD_FORMS = "|".join(("0" * 12, *(f"0000{gap}0000" for gap in _GAP[1:-1])))
SERVICE_WORDS = (
    "key-|-us0|xkeysib-|re_|EAA|sq0|access_token$|rzp_live_|access-|webhookb2|1//0|r8_|PMAK-|ntn_|figd_|pat|dp.pt.|atlasv1"
    "|pul-|pscale_|sbp_|nfp_|CFPAT-|sk.eyJ|sl.|AAAAAAA|AGE-SECRET-KEY-1|xprv|sntryu_|.G|.X|.Y|.Z"
)
SERVICE_TOKENS = (
    # Mailgun, Mailchimp, Brevo, Resend; Facebook; Square, PayPal, Plaid, Razorpay.
    r"key-[0-9a-f]{32}|[0-9a-f]{32}-us\d{1,2}|xkeysib-[0-9a-f]{64}-\w{16}|re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"
    r"|EAA[A-Za-z0-9]{60,}|sq0[a-z]{3}-[\w-]{22,}|access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"
    r"|rzp_live_[A-Za-z0-9]{14}|access-(?:production|development|sandbox)-[0-9a-f-]{36}"
    # Discord, Teams, refresh tokens of Google, Twitter.
    r"|[MNO][A-Za-z0-9_-]{23,27}\.[GXYZ][A-Za-z0-9_-]{5}\.[A-Za-z0-9_-]{27,45}|1//0[\w-]{40,}|A{20}[A-Za-z0-9%]{30,}"
    r"|webhookb2/[0-9a-f@-]{36,}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36}"
    # Models, tools and hosts.
    r"|r8_[A-Za-z0-9]{37}|PMAK-[0-9a-f]{24}-[0-9a-zA-Z]{34}|ntn_[A-Za-z0-9]{40,}|figd_[\w-]{40,}|dp\.pt\.[A-Za-z0-9]{40,}"
    r"|pat[A-Za-z0-9]{14}\.[0-9a-z]{64}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9]{60,}|pul-[0-9a-f]{40}|pscale_\w{2,5}_[\w-]{32,}"
    r"|sbp_[0-9a-f]{40}|nfp_[A-Za-z0-9]{36}|CFPAT-[\w-]{43}|sk\.eyJ[\w-]{40,}\.[\w-]{22}|sl\.[\w-]{120,}|sntryu_[0-9a-f]{64}"
    r"|AGE-SECRET-KEY-1[A-Z0-9]{50,}|xprv[A-Za-z0-9]{100,}"
)
# Letters may stand right before it, but it is no part of a hexadecimal id.
_BEFORE_CARD = (
    r"(?<![A-Za-z0-9_+-])(?<!\d[.])(?![a-f]{1,40}\d)"
    r"(?!(?=\d{0,32}[a-f])[0-9a-f]{14,64}(?![A-Za-z0-9]))[A-Za-z_]{0,40}+"
)
_AFTER_CARD = r"(?!\d|-\w|\.\d)"
KINDS = (
    _kind(
        "private key",
        "PRIVATE KEY",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----END ))*"
        r"(?:-----END [A-Z0-9 ]{0,40}(?:-----)?)?",
    ),
    _kind(
        "JSON web token",
        "eyJ",
        _LEFT_NO_DASH + r"eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)*",
    ),
    _kind(
        "AWS key",
        "AKIA|ASIA|AROA|AIDA|AGPA|ABIA|ACCA",
        _LEFT + r"(?:AKIA|ASIA|AROA|AIDA|AGPA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    ),
    _kind(
        "GitHub token",
        "ghp_|gho_|ghu_|ghs_|ghr_|github_pat_",
        _LEFT + r"(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,})",
    ),
    _kind(
        "GitLab token",
        "glpat-|glptt-|gldt-|glrt-|glcbt-|glsoat-|glft-|glagent-|gloas-",
        _LEFT + r"gl(?:pat|ptt|dt|rt|cbt|soat|ft|agent|oas)-[A-Za-z0-9_.-]{12,}",
    ),
    _kind(
        "Stripe key",
        "k_live_|k_test_|whsec_",
        _LEFT + r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{8,}|whsec_[A-Za-z0-9+/=]{12,})",
    ),
    _kind(
        "Slack token",
        "xox|xapp-|hooks.slack.com",
        _LEFT + r"(?:xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{8,}|xapp-\d-[A-Za-z0-9-]{8,})"
        r"|(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[A-Za-z0-9/_-]{8,}",
    ),
    _kind("chat webhook", "/api/webhooks/", r"(?<=/api/webhooks/)\d+/[A-Za-z0-9_-]{20,}"),
    _kind(
        "Google key",
        "AIza|ya29.|GOCSPX-",
        _LEFT + r"(?:AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{16,}|GOCSPX-[A-Za-z0-9_-]{16,})",
    ),
    _kind("SendGrid key", "SG.", _LEFT + r"SG\.[A-Za-z0-9_-]{12,}\.[A-Za-z0-9_-]{12,}"),
    _kind("Twilio key", "SK", _LEFT + r"SK[0-9a-f]{32}(?![0-9A-Za-z])"),
    _kind("Telegram bot token", ":AA", r"(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{32,}"),
    _kind(
        "package registry token",
        "npm_|pypi-|rubygems_|dckr_pat_",
        _LEFT
        + r"(?:npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|rubygems_[a-f0-9]{40,}|dckr_pat_[\w-]{20,})",
    ),
    _kind(
        "cloud token",
        "dop_v1_|doo_v1_|dor_v1_|hvs.|hvb.|shpat_|shpca_|shppa_|shpss_|glsa_|NRAK-|hf_|dapi|lin_api_|sntrys_"
        "|ATATT|8Q~|sig=",
        _LEFT + r"(?:do[opr]_v1_[a-f0-9]{40,}|hv[sb]\.[A-Za-z0-9_-]{20,}|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{30,}"
        r"|glsa_[A-Za-z0-9_]{30,}|NRAK-[A-Z0-9]{20,}|hf_[A-Za-z0-9]{30,}|dapi[0-9a-f]{32}|lin_api_[A-Za-z0-9]{30,}"
        r"|sntrys_[A-Za-z0-9+/=_]{30,}|ATATT[A-Za-z0-9_=-]{30,}|[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{30,40})"
        r"|(?<=[?&]sig=)[A-Za-z0-9%+/=_-]{16,}",
    ),
    _kind(
        "language model key",
        "sk-|pplx-|gsk_|xai-",
        _LEFT_NO_DASH + r"(?:sk-[A-Za-z0-9_-]{20,}|(?:pplx-|gsk_|xai-)[A-Za-z0-9]{30,})",
        _is_mixed,
    ),
    _kind("Errata API key", "errata_api_", _LEFT + r"errata_api_[A-Za-z0-9]{8,}"),
    _kind("Errata token", "errata_token_", _LEFT + r"errata_token_[A-Za-z0-9]{8,}"),
    _kind("bearer token", "earer|EARER", r"[Bb](?:earer|EARER)\s+([A-Za-z0-9._~+/=-]{8,})", _is_opaque),
    _kind("basic credentials", "asic |ASIC ", r"[Bb](?:asic|ASIC) +([A-Za-z0-9+/_-]{6,}={0,2})", _is_basic),
    _kind(
        "password in a URL",
        "//|%3A%2F%2F",
        r"(?<=//)[^\s/:@\"'<>?#\\]{0,200}:([^\s/?#\"'<>\\]{1,200})@"
        r"|(?<=%3A%2F%2F)[^\s/:@%\"'<>?#\\]{0,200}%3A([^\s/?#%\"'<>\\]{1,200})%40",
        lambda value: not is_nothing(value),
    ),
    _kind(
        "password of curl",
        "curl|--proxy-user",
        r"(?<=curl)[^\r\n]{0,300}?\s[\\\"']{0,8}(?:-[A-Za-z]{0,6}[uU]|--user|--proxy-user)"
        r"[\"',= \\]{0,16}[^\s:\"'\\]{0,100}:([^\s\"'\\]{1,200})"
        r"|(?<=curl)[^\r\n]{0,300}?\s[\\\"']{0,8}-b[\"',= \\]{0,16}[^\s=\"'\\]{1,100}=([^\s\"'\\]{1,200})"
        r"|(?<=--proxy-user)[\"',= \\]{1,16}[^\s:\"'\\]{0,100}:([^\s\"'\\]{1,200})",
    ),
    _kind(
        "private JSON web key",
        "kty",
        r"\"(?:[dpqk]|d[pq]|qi)\\*+\"\s{0,9}:\s{0,9}\\*+\"([\w+/=-]{20,3000})",
    ),
    _kind(
        "password of a command",
        "mysql|mariadb|sshpass|docker login|podman login|redis-cli",
        r"(?:\b(?:mysql(?:dump|admin)?|mariadb(?:-dump)?)\b[^\r\n]{0,200}?\s-p|\bsshpass\s{1,5}-p\s{0,5}"
        r"|\b(?:docker|podman) login\b[^\r\n]{0,200}?\s-p\s{1,5}|\bredis-cli\b[^\r\n]{0,200}?\s-a\s{1,5})"
        r"\\*[\"']?([^\s\"'\\]{1,200})",
        lambda value: not is_nothing(value),
    ),
    _kind(
        "password in SQL",
        "dentified|DENTIFIED",
        r"(?:[Ii]dentified|IDENTIFIED)(?:\s{1,10}(?:with|WITH)\s{1,10}\w{1,60})?\s{1,10}(?:by|BY)\s{1,10}\\*['\"]([^'\"\\]{1,200})",
    ),
    _kind(
        "value of an HTML input",
        "<input|<INPUT|<Input",
        r"(?i:<input)\b(?=[^<>]{0,500}\b(?i:type|name|id)=\\*[\"']?[\w.\[\]-]{0,60}"
        r"(?i:passw|pwd|secret|token|csrf|card_?n|cvc|cvv))[^<>]{0,500}?\b(?i:value)=\\*[\"']?([^\"'\s<>\\]{1,500})",
    ),
    # Of 16 digits and fewer, then of 19: three others may also follow one of 16.
    _kind(
        "card number",
        _CARD_FORMS,
        rf"{_BEFORE_CARD}(?=(\d{{13,19}}|\d{{4}}(?:{_GAP}\d{{4}}){{3}}|3\d{{3}}{_GAP}\d{{6}}{_GAP}\d{{4,5}}){_AFTER_CARD})",
        is_card_number,
    ),
    _kind(
        "card number",
        _CARD_FORMS,
        rf"{_BEFORE_CARD}(?=(\d{{4}}(?:{_GAP}\d{{4}}){{3}}{_GAP}?\d{{3}}){_AFTER_CARD})",
        is_card_number,
    ),
    _kind(
        "IBAN",
        "AA00|0000 0000",
        _LEFT + r"(?:[A-Z]{2}\d{2}[A-Z0-9]{11,30}"
        r"|[A-Z]{2}\d{2}(?: [A-Z0-9]{4}){2,7} (?=[A-Z]{0,3}\d)[A-Z0-9]{1,4}"
        r"|[a-z]{2}\d{2}(?: [a-z0-9]{4}){2,7} (?=[a-z]{0,3}\d)[a-z0-9]{1,4})(?![A-Za-z0-9])",
        _is_iban,
    ),
    _kind(
        "social security number",
        "000-00-0000",
        r"(?<![\w.+-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-]|\.\d)",
    ),
    _kind("service token", SERVICE_WORDS, _LEFT_NO_DASH + f"(?:{SERVICE_TOKENS})(?![A-Za-z0-9])"),
    _kind(
        "PuTTY key",
        "Private-Lines:|Private-MAC:",
        r"(?<=Private-Lines:)[ ]?\d{1,4}(?:\\+[rn]|\s){1,4}((?:[A-Za-z0-9+/=]|\\++[rn]|\s)++)"
        r"|(?<=-MAC:)[ ]?([0-9a-f]{40,64})",
    ),
    _kind(
        "link with a token",
        "reset|onfirm|erif|nvit|agic|ctivat|nsubscribe|/shared/|/link/",
        r"(?i:reset|password|confirm(?:ation)?|verif(?:y|ication)|invit(?:e|ations?)|magic|activat(?:e|ion)|unsubscribe)"
        r"(?:[-_](?i:password|email|link|account))?/(?:[\w-]{1,12}/)?([\w-]{12,200})" + _NO_FILE,
        _is_drawn,
    ),
    _kind("link of Errata", "/shared/|/link/", r"(?<=/)(?:shared|link)/([A-Za-z0-9]{40,64})" + _NO_FILE),
    _kind(
        "code of a callback",
        "code=|ticket=",
        r"(?i:callback|oauth2?|login|authorize|sign-?in|sso|connect)/?[?#](?:[^\s\"'<>#&]{0,100}&){0,4}code=([\w.~%/+-]{6,300})"
        r"|[?&]code=([\w.~%/+-]{6,300})&(?:amp;)?state=|[?&]state=[^\s&\"'<>]{0,200}&(?:amp;)?code=([\w.~%/+-]{6,300})"
        r"|[?&]ticket=([SP]T-[\w.-]{8,200})",
    ),
    _kind(
        "password of Oracle",
        "jdbc:oracle:|sqlplus ",
        r"(?:jdbc:oracle:\w{1,8}:|\bsqlplus )[\w.$-]{1,60}/([^\s/@\"'\\]{1,200})@",
    ),
    _kind(
        "password in netrc",
        "machine ",
        r"\bmachine\s{1,9}\S{1,200}\s{1,9}login\s{1,9}\S{1,200}\s{1,9}password\s{1,9}([^\s\"'\\]{1,200})",
    ),
    _kind(
        "password in pgpass",
        ":0000:|:*:",
        r"(?<![\w.*-])[\w.*-]{1,100}:(?:[56]\d{3}|\*):[\w*-]{1,60}:[\w*-]{1,60}:([^\s:\"'\\]{4,200})",
        _is_mixed,
    ),
)
_FORMS = frozenset((*_CARD_FORMS.split("|"), "AA00", "000-00-0000", "-us0", ":0000:", ":*:", "%0"))
_WORDS, _FORMED = (
    [(word, at) for at, kind in enumerate(KINDS) for word in kind.words if (word in _FORMS) is are_forms]
    for are_forms in (False, True)
)
# In too many texts to tell anything: what these begin is known by its form.
_WORDLESS = frozenset(("pat", "re_", "SK", ".G", ".X", ".Y", ".Z"))
# Of these, in lower case, at least one is in every text with a secret that has a word.
_MARKS = {
    *([part for part in re.split(r"\[ _\.-]\??", name) if "[" not in part][-1] for name in _NAMES),
    "connect.sid",
    *("u00", "u0142", "u041f", "u043f"),
    *(word.lower() for word, _ in _WORDS if word not in _WORDLESS),
}
_MARKED = re.compile(r"pat[A-Za-z0-9]{14}\.|re_[A-Za-z0-9]{8}_|SK[0-9a-f]{32}|\.[GXYZ][\w-]{5}\.[\w-]{27}")
WORDS = sorted(word for word in _MARKS if not any(one in word for one in _MARKS - {word}))


def suspects(texts: Iterable[str]) -> list[str]:
    """Those of the texts that may hold a secret: to look into all of them closely takes long."""
    texts = list(texts)
    together = "\n".join(texts)
    is_marked = _MARKED.search(together) is not None
    lowered, formed = together.lower(), together.translate(_FORM)
    words = [*(word for word in WORDS if word in lowered), *(form for form in _FORMS if form in formed)]
    if not words and not is_marked:
        return []
    return [
        text
        for text in texts
        if _has_one(f"{text.lower()}\n{text.translate(_FORM)}", words) or (is_marked and _MARKED.search(text))
    ]


def _has_one(text: str, words: list[str]) -> bool:
    for word in words:  # noqa: SIM110 - a generator takes twice the time.
        if word in text:
            return True
    return False


# From its first backslash alone: a row of them is gone through once.
_ESCAPED = re.compile(
    r"(?<!\\)\\+u(00[2-7][0-9A-Fa-f]|014[12]|04[1-4][0-9A-Fa-f])|%([46][1-9A-Fa-f]|[57][0-9Aa])"
)


def secret_spans(text: str, *, is_source: bool = False, names: Names = NAMES) -> list[Span]:
    """Where secrets stand in a text, in order, apart from each other."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text.translate(_LOWER)
    spans = list(_assigned_spans(text, lowered, is_source, names))
    if not is_source and ")" in text:
        spans.extend(_column_spans(text, names))
    if "[parameters:" in text and not is_source:
        spans.extend(_parameter_spans(text, names))
    formed = text.translate(_FORM)
    numbers = {number for word, number in _WORDS if word in text}
    for number in numbers | {number for form, number in _FORMED if form in formed}:
        kind = KINDS[number]
        for match in kind.pattern.finditer(text):
            group = match.lastindex or 0
            if kind.is_one(match[group]) and match[group] != FILTERED:
                spans.append(match.span(group))
    return merged(spans)


def merged(spans: Iterable[Span]) -> list[Span]:
    """In order, apart from each other."""
    apart: list[Span] = []
    for start, end in sorted(spans):
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart


def without_spans(text: str, spans: list[Span]) -> str:
    """The text with `[FILTERED]` in place of each span."""
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts += text[at:start], FILTERED
        at = end
    return "".join((*parts, text[at:]))


def unescaped(text: str) -> str:
    """Letters written as escapes for no need, as only who hides something writes them."""
    return _ESCAPED.sub(lambda match: chr(int(match[1] or match[2], 16)), text)


# A program that passes a URL on within another one encodes it once more.
_ENCODINGS = 2
# With the sign before it: only the value of a parameter has `+` for a space.
_PART_OF_QUERY = re.compile(r"=?[^\s&?#=;\"'<>\\]{3,}")
_KEPT_IN_URLS = "/:@,[]"


class SpansOf(Protocol):
    def __call__(self, text: str, *, is_source: bool) -> list[Span]: ...


def without_secrets(text: str, *, is_source: bool = False, spans_of: SpansOf = secret_spans) -> str:
    """The text itself where it holds no secret."""
    spans = spans_of(text, is_source=is_source)
    if spans:
        text = without_spans(text, spans)
    if "\\u0" in text or "%" in text:
        plain = unescaped(text)
        if plain != text and (found := spans_of(plain, is_source=is_source)):
            text = without_spans(plain, found)
    if not is_source and ("%" in text or ("+" in text and "=" in text)):
        text = _PART_OF_QUERY.sub(lambda match: _without_encoded(match[0], spans_of), text)
    return text


def _without_encoded(part: str, spans_of: SpansOf) -> str:
    """A name, a value or a path of a URL, percent-encoded anew if something in it is a secret."""
    if "%" not in part and not (part[0] == "=" and "+" in part):
        return part
    sign, part = ("=", part[1:]) if part[0] == "=" else ("", part)
    plain = part
    for _ in range(_ENCODINGS):
        decoded = unescaped(unquote_plus(plain))
        if decoded == plain:
            break
        plain = decoded
        if found := spans_of(plain, is_source=False):
            return sign + quote(without_spans(plain, found), safe=_KEPT_IN_URLS)
    return sign + part

"""The frozen rule for messages: what varies becomes a placeholder, what names the bug stays.

Placeholders stand in brackets that are taken out of every input, so no message can imitate one. The text is
cut to a bounded length, then into tokens; each pattern looks at one token and has nothing to go back over.
"""

from __future__ import annotations

import re

MAX_TEXT = 1024
MAX_TEMPLATE = 400

# The brackets of placeholders, and control characters, which no page can show.
_FORBIDDEN = {ord("⟨"): "<", ord("⟩"): ">"} | dict.fromkeys([*range(32), *range(127, 160)], " ")

_QUOTED = re.compile(r"""(?<!\w)(?:'([^']{0,200})'|"([^"]{0,200})"|`([^`]{0,200})`)(?!\w)""")
_NAME = re.compile(r"[A-Za-z_$][A-Za-z_$.-]{0,63}")
_TOKEN = re.compile(r"""[^\s"'`=,;|(){}\[\]<>⟨⟩]+""")
_TELLING = re.compile(r"[0-9@/\\]|[A-Za-z+_-]{24}")
_ENDS = ".:!?"
_REPLACED = re.compile(r"""[0-9@/\\?%]|[A-Za-z+_-]{24}|(?<!\w)["'`]|["'`](?!\w)""")

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://([^/?#]*)([^?#]*)")
_EMAIL = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
_UUID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_IP = re.compile(
    r"\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}|/\d{1,2})?|(?=[^:]*:[^:]*:)(?=.*[0-9])[0-9A-Fa-f:]*::[0-9A-Fa-f:.]*"
    r"|(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}"
)
_DATE = re.compile(
    r"\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:[T ][0-9:.]+)?(?:Z|[+-]\d\d:?\d\d)?|\d{1,2}[/.]\d{1,2}[/.]\d{4}"
    r"|\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?Z?"
)
_HOST = re.compile(r"(?:[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|localhost):\d{2,5}")
_QUERY = re.compile(r"(?<=[\w/])\?[\w.%~-]+=[^\s\"'`<>()]*")
_NUMBER = re.compile(r"[#$€£~]?[+-]?\d[\d.,_]*(?:[eE][+-]?\d+)?(?:%|[A-Za-zµ]{1,3})?")
_ADDRESS = re.compile(r"0[xX][0-9A-Fa-f]+")
_HEX = re.compile(r"0[xX][0-9A-Fa-f]+|(?=[A-Fa-f]*[0-9])[0-9A-Fa-f]{8,}")
_FILE = re.compile(r".*\.[A-Za-z][A-Za-z0-9]{0,7}")
_PART = re.compile(r"[A-Za-z0-9]+")
_DIGITS = re.compile(r"\d+")


def template_of(message: str) -> str:
    """The first line with text in it, its variable parts replaced."""
    line = _first_line(message)
    if not (line.isascii() and line.isprintable()):
        line = line.translate(_FORBIDDEN)
    line = _QUERY.sub("", _QUOTED.sub(_quoted, line))
    return " ".join(_TOKEN.sub(_token, line).split())[:MAX_TEMPLATE]


def is_kept_as_written(text: str) -> bool:
    """Nothing of this text would become a placeholder; a template that is quoted back counts as written."""
    unquoted = _QUOTED.sub(lambda match: "" if _NAME.fullmatch(match[match.lastindex or 0]) else "0", text)
    return "⟨" in text or not _REPLACED.search(unquoted)


def _first_line(message: str) -> str:
    for line in message[:MAX_TEXT].splitlines():
        if line and not line.isspace():
            return line
    return ""


def _quoted(match: re.Match[str]) -> str:
    content = match[match.lastindex or 0]
    # 'discount' and 'NoneType' name the bug, 'SKU-17' and 'li.card[2]' are what it met.
    return match[0] if _NAME.fullmatch(content) else "⟨string⟩"


def _token(match: re.Match[str]) -> str:
    token = match[0]
    if not _TELLING.search(token):
        return token
    core = token.rstrip(_ENDS)
    return _core(core) + token[len(core) :]


def _core(core: str) -> str:
    whole = _whole(core)
    if whole:
        return whole
    if core[:1] in "/\\~." or core[1:3] in (":\\", ":/") or "/" in core:
        return _path(core)
    if ":" in core:
        return ":".join(_whole(part) or _word(part) for part in core.split(":"))
    return _word(core)


def _whole(core: str) -> str:
    if url := _URL.fullmatch(core) or _URL.match(core):
        return "⟨host⟩" + (_path(url[2]) if url[2] not in ("", "/") else "")
    for pattern, placeholder in _PLACEHOLDERS:
        if pattern.fullmatch(core):
            return placeholder
    return ""


def _path(path: str) -> str:
    """A file is a place on one machine; a route says which call it was, but for its ids."""
    path = path.split("?", 1)[0].replace("\\", "/")
    segments = path.split("/")
    if _FILE.fullmatch(segments[-1]) and path[0] in "/~." + "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        return "⟨path⟩"
    return "/".join("⟨id⟩" if _is_id(segment) else segment for segment in segments)


def _is_id(segment: str) -> bool:
    if segment[:1] in "vV" and segment[1:].isdecimal() and len(segment) < 4:
        return False
    return bool(_DIGITS.search(segment)) or len(segment) > 40


def _word(word: str) -> str:
    return _PART.sub(_part, word)


def _part(match: re.Match[str]) -> str:
    part = match[0]
    if _HEX.fullmatch(part):
        return "⟨hex⟩"
    if len(part) >= 24 or (len(part) >= 10 and len(_DIGITS.findall(part)) > 2):
        return "⟨id⟩"
    return _DIGITS.sub("⟨number⟩", part)


_PLACEHOLDERS = (
    (_DATE, "⟨date⟩"),
    (_IP, "⟨ip⟩"),
    (_ADDRESS, "⟨hex⟩"),
    (_NUMBER, "⟨number⟩"),
    (_UUID, "⟨uuid⟩"),
    (_HEX, "⟨hex⟩"),
    (_EMAIL, "⟨email⟩"),
    (_HOST, "⟨host⟩"),
)
_PRINTF = re.compile(
    r"%(?:\(\w{1,64}\))?[-#0 +]{0,5}[0-9*]{0,5}(?:\.[0-9*]{1,5})?[diouxXeEfFgGcrsa]|\{[\w.!:\[\]]{0,64}\}"
)


def log_template_of(message: str) -> str:
    """The template of a message whose arguments were sent apart: `%s` and `{name}` are its variable parts."""
    # Between marks that `translate` would remove, were they in the text.
    marked = _PRINTF.sub("\ue000", message[:MAX_TEXT].replace("\ue000", " "))
    return template_of(marked).replace("\ue000", "⟨value⟩")

"""One pass over the bytes of a payload: where in it a secret may stand.

It may find too much, which costs a closer look, but never too little: tests hold it against the closer look.
"""

import re2

from errata.scrubbing.secret_text import KINDS

LONGEST_WORD = 15
"""Of a cookie that holds a word such as `dark` or `en-US`."""

# In any part of a name, and those that are a name by themselves.
_PART_BUT_COOKIE = (
    r"(?:passw|passphrase|secret|token|bearer|pwd|credential|csrf|xsrf|jwt|authorization|authentication"
    r"|(?:api|access|private|account|subscription|signing|encryption|auth)[ _.\-]*key"
    r"|credit[ _.\-]*card|card[ _.\-]*[nc]"
    r"|user[ _.\-]*session|session[ _.\-]*id|phpsessid|connect[ _.\-]*sid|security[ _.\-]*code|totp"
    r"|pin[ _.\-]*(?:code|number)|one[ _.\-]*time|cvv|cvc|ccv|iban|ssn|client[ _.\-]*assertion)"
)
_PART = f"(?:{_PART_BUT_COOKIE}|cookie)"
_WHOLE = r"(?:auth|session|pin|otp|pass|tokens|dsn|symfony)"
_NAME = rf"(?:{_PART}[\w.$%\-]*|\b_*{_WHOLE}_*)"
# Neither empty nor `[FILTERED]`, `None` or the like.
_VALUE = r'(?:[^\["\s\\ntf]|n(?:[^oua]|o[^n]|u[^l]|a[^n])|t(?:[^r]|r[^u])|f(?:[^a]|a[^l])|\[(?:[^f]|f[^i]))'
_QUOTE = r"(?:\\*[\"'`]|%22|&quot;|&#39;)"
_SIGN = rf"{_QUOTE}?(?:\]|%5D)?[ \t]*(?:[=:]|%3D|%3A)[>=]*"
_SPACE = r"(?:\s|\\+[nrt])*"
# Neither `None` nor an argument that is called as what it holds.
_WORD = r"(?:[^acn\W\d]|a(?:[^u]|u[^t])|c(?:[^o]|o[^o])|n(?:[^ou]|o[^n]|u[^l]))"
_COOKIE = r'\s*"(?:[^"\\]|\\.)*"\s*:\s*'
_LETTERS = r"a-z_\-"
_LETTER = f"[{_LETTERS}]"
_ASSIGNED = (
    # A key of JSON, and its value.
    rf'(?:{_PART}[^"\\:=]*|"[^\w"]*{_WHOLE}[^\w"]*)"\s*:\s*(?:"{_VALUE}|"\\|[1-9]|\[[^\]])',
    rf'(?:{_PART_BUT_COOKIE}[^"\\:=]*|cookie(?:[^s"\\:=][^"\\:=]*)?|cookies[^"\\:=]+'
    rf'|"[^\w"]*{_WHOLE}[^\w"]*)"\s*:\s*{{"[^"]',
    # Cookies by name, one of which holds more than a word.
    rf'cookies"\s*:\s*{{(?:{_COOKIE}"(?:{_LETTER}{{0,{LONGEST_WORD}}}|\[filtered\])"\s*,\s*)*{_COOKIE}'
    rf'(?:[^"\s{{]|{{(?:[^"]|"[^"])|"(?:{_LETTER}{{0,{LONGEST_WORD}}}[^{_LETTERS}"\[]|{_LETTER}+\[|\[(?:[^f]|f[^i])'
    rf"|{_LETTER}{{{LONGEST_WORD + 1}}}))",
    # The same in JSON that is a text.
    rf"{_NAME}(?:\\+[\"'`]|'|%22|&quot;){_SPACE}:{_SPACE}[\[{{][^\]}}]",
    # Where an object is a name and its value.
    r'"type"\s*:\s*"password"',
    rf'"(?:name|key|field|header)\\*"\s*:\s*\\*"(?:[^"\\]*{_PART}|[^\w"]*{_WHOLE}[^\w"]*")',
    rf'"loc\\*"\s*:\s*\[[^\]]*{_PART}',
    # A name within a text, and a value in quotes, which may be escaped, or in a list.
    rf"{_NAME}{_SIGN}{_SPACE}(?:\w*secret\w*\()?[(\[]?{_SPACE}\w?\w?{_QUOTE}{_VALUE}",
    # A value without quotes: with a digit or a sign in it, or long, or right after the sign.
    rf"{_NAME}{_SIGN}[ \t]*(?:[A-Za-z_.:/!?\-]*[^A-Za-z_.:/!?\-\s\"'`<>()\[\]{{}},\\;&|]|[A-Za-z_.]{{30}})",
    rf"{_NAME}(?:=|%3D){_WORD}[A-Za-z_]*[^\w.(\[]",
    rf"authorization{_SIGN}[ \t]*[\w\-]+[ ]+[^\s\"\\]",
    r"cookie\w*:[^\"\\]*=",
    # A name and its value one after the other: in a list, as arguments, in a sentence.
    rf"[\[(]\s*b?{_QUOTE}(?:[\w.$\-]*{_PART}[\w.$\-]*|_*{_WHOLE}_*){_QUOTE}\s*,\s*b?{_QUOTE}",
    rf"--(?:[\w.\-]*{_PART}[\w.\-]*|{_WHOLE})(?: |{_QUOTE},)",
    # In XML and forms, PHP, lists of names and values, rows of a statement.
    rf"{_NAME}{_QUOTE}?(?:\s[^<>]*)?(?:>|&gt;)[^<>]+(?:</|&lt;/)",
    rf"{_NAME}</key>",
    rf"{_NAME}{_QUOTE}?,?{_SPACE}{_QUOTE}?(?:value|content|rejectedvalue|input){_QUOTE}?\s*[:=]",
    rf"{_NAME}\\*[\"'](?:(?:\\+[rn])+|\]=>{_SPACE}string|;s:\d)",
    rf"{_NAME}\\+n[^\"\\]*input_value=",
    rf"{_NAME}(?::|=)[\[{{][^\s\[\]{{}}\"]",
    rf"{_NAME}[ \t]+(?:like|in *\()[ \t]*",
    r"(?:passw|pwd|passphrase|(?:api|access|secret)[ _.\-]?key|client[ _.\-]?secret)[\w.\-]*(?: |\t|\\+t)+"
    r"(?:(?:is|was|provided|given|->|\||for +[^\s\"]+):?(?: |\t|\\t)+)?[a-z0-9!@$%^*_+\-]*\d",
    rf"{_NAME}[\w\s,.\"`\\]*\){_SPACE}(?:values|=)",
    r"(?:passw|pwd|secret|passphrase|api[ _.\-]?key|credential)\w*(?:\s+(?:is\s+|was\s+)?|\()"
    rf"{_QUOTE}{_VALUE}",
)
# In lower case or as they are; the card numbers are those that start as a network's do.
_SHAPES = {
    "private key": r"PRIVATE KEY",
    "JSON web token": r"eyJ[\w\-]+\.",
    "AWS key": r"A(?:KIA|SIA|ROA|IDA|GPA|BIA|CCA)[A-Z0-9]{16}",
    "GitHub token": r"gh[pousr]_[A-Za-z0-9]{16}|github_pat_",
    "GitLab token": r"gl(?:pat|ptt|dt|rt|cbt|soat|ft|agent|oas)-[\w.\-]{12}",
    "Stripe key": r"[sr]k_(?:live|test)_|whsec_",
    "Slack token": r"xox[a-z][.\-]|xapp-|hooks\.slack\.com",
    "chat webhook": r"/api/webhooks/",
    "Google key": r"AIza[\w\-]{30}|ya29\.|GOCSPX-",
    "SendGrid key": r"SG\.[\w\-]{12}",
    "Twilio key": r"SK[0-9a-f]{32}",
    "Telegram bot token": r"\d:AA[\w\-]{32}",
    "package registry token": r"npm_[A-Za-z0-9]{30}|pypi-[\w\-]{30}|rubygems_|dckr_pat_",
    "cloud token": r"do[opr]_v1_|hv[sb]\.[\w\-]{20}|shp(?:at|ca|pa|ss)_|glsa_|NRAK-|hf_[A-Za-z0-9]{30}"
    r"|dapi[0-9a-f]{32}|lin_api_|sntrys_|ATATT|8Q~|[?&]sig=",
    "language model key": r"sk-[\w\-]{20}|(?:pplx-|gsk_|xai-)[A-Za-z0-9]{30}",
    "Errata API key": r"errata_api_",
    "bearer token": r"(?i:bearer)(?:\s|\\[nrt])+[\w.~+/=\-]{8}",
    "basic credentials": r"(?i:basic) +[\w+/]{6}",
    "password in a URL": r'://[^\s/:@"?#\\]*:[^\s/?#"\\]+@|%3A%2F%2F[^\s"/]*%40',
    "password of curl": r'curl(?:[^"\\]|\\.)*(?:-\w*u|--user|--proxy-user)',
    "password of a command": r"(?:mysql|mariadb|sshpass|(?:docker|podman) login|redis-cli)"
    r'(?:[^"\\]|\\.)* -[pa]',
    "password in SQL": r"(?i:identified)(?:\s|\\[nrt])+(?i:by|with)",
    "value of an HTML input": r"(?i:<input)",
    "card number": r"[^\w.+\-](?:[3-6]\d{3}|2[2-7]\d\d)(?:[ \-]?\d{4}){2}[ \-]?\d{2,7}\b"
    r"|[^\w.+\-]3\d{3}[ \-]?\d{6}[ \-]?\d{4,5}\b",
}
assert set(_SHAPES) == {kind.name for kind in KINDS}
# Letters written as escapes that hide them, in a text that is JSON or a URL itself.
_HIDDEN = r"\\\\u00[2-7][0-9A-Fa-f]|%(?:[46][1-9A-Fa-f]|[57][0-9Aa])"


def options() -> re2.Options:
    """For bytes, without groups: what finds, and no more."""
    chosen = re2.Options()
    chosen.encoding = re2.Options.Encoding.LATIN1
    chosen.never_capture = True
    chosen.log_errors = False
    chosen.max_mem = 64 << 20
    return chosen


_SUSPECT = re2.compile(
    "|".join((*(f"(?i:{part})" for part in _ASSIGNED), *_SHAPES.values(), _HIDDEN)).encode(), options()
)
_NEEDLESS_ESCAPE = re2.compile(rb"\\u00[2-7]|\\/", options())
BACKSLASH = ord("\\")
BEFORE_NUMBERS = b":,[ "
_match = _SUSPECT._regexp.Match  # Without an object for every match, it takes half the time.


def suspects(text: bytes) -> list[int]:
    """Where in JSON something begins that may be or hold a secret: once a string."""
    found: list[int] = []
    at, end = 0, len(text)
    while True:
        start, stop = _match(re2._Anchor.UNANCHORED, text, at, end)[0]
        if start < 0:
            return found
        found.append(start)
        # In the same string no more is looked for: what starts many times in it would be read as often.
        at = stop if text[start] in BEFORE_NUMBERS else closing_quote(text, start + 1) - 1


def closing_quote(text: bytes, at: int) -> int:
    """Behind the quote that closes the string of JSON which `at` is in."""
    at = text.find(b'"', at)
    while at >= 0 and is_escaped(text, at):
        at = text.find(b'"', at + 1)
    return at + 1 if at >= 0 else len(text)


def is_escaped(text: bytes, at: int) -> bool:
    before = at
    while before > 0 and text[before - 1] == BACKSLASH:
        before -= 1
    return (at - before) % 2 == 1


def is_plainly_written(text: bytes) -> bool:
    """Whether the JSON is without escapes of letters and signs that need none, which hide from a scan."""
    return _NEEDLESS_ESCAPE.search(text) is None

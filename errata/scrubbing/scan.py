"""One pass over the bytes of a payload: where in it a secret may stand.

It may find too much, which costs a closer look, but never too little: tests hold it against the closer look.
"""

import re
from collections.abc import Collection

import re2
from errata_wire.secret_text import KINDS

LONGEST_WORD = 15
"""Of a cookie that holds a word such as `dark` or `en-US`."""


def _other_than(words: Collection[str], ends: str) -> str:
    """The beginning of what is neither nothing nor one of the words; each of these is over before `ends`."""

    def rest(begun: str) -> str:
        following = sorted({word[len(begun)] for word in words if word.startswith(begun) and word != begun})
        over = ends if begun in ("", *words) else ""
        none_of = "".join(map(re.escape, following)) + over
        others = [f"[^{none_of}]"] if none_of else [r"[\x00-\xff]"]
        return f"(?:{'|'.join([*others, *(re.escape(one) + rest(begun + one) for one in following)])})"

    return rest("")


# The rest of a name, with escapes.
_REST = r'(?:[^"\\]|\\.)*'
# Between the words of a name.
_BETWEEN = r'[^a-z0-9"\\]*'
_KEY = (
    r"(?:api|access|private|account|subscription|signing|encryption|auth|licen[cs]e|fernet|master|deploy|ssh"
    rf"|application){_BETWEEN}key"
)
# Polish and Russian, as bytes and escaped.
_ELSEWHERE = (
    r"has(?:l|\xc5\x82|\\+u0142)o|\xd0[\x9f\xbf]\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8c"
    r"|\\+u04[13]f\\+u0430\\+u0440\\+u043e\\+u043b\\+u044c"
)
# In any part of a name, and those that are a name by themselves.
_PART_BUT_COOKIE = (
    r"(?:passw|passphrase|secret|token|bearer|pwd|credential|csrf|xsrf|jwt|authorization|authentication"
    rf"|{_KEY}"
    rf"|credit{_BETWEEN}card|card{_BETWEEN}[nc]"
    rf"|user{_BETWEEN}session|session{_BETWEEN}id|phpsessid|connect{_BETWEEN}sid|security{_BETWEEN}code|totp"
    rf"|pin{_BETWEEN}(?:code|number)|one{_BETWEEN}time|cvv|cvc|ccv|csc|iban|ssn|client{_BETWEEN}assertion"
    rf"|passcode|kennwort|mot{_BETWEEN}de{_BETWEEN}passe|contrase|senha|palavra{_BETWEEN}passe|wachtwoord|senord"
    rf"|{_ELSEWHERE}|geheim|jeton|mnemonic|hmac|saml{_BETWEEN}response|code{_BETWEEN}verifier|connection{_BETWEEN}string"
    rf"|(?:account|routing|cc){_BETWEEN}number|social{_BETWEEN}security|(?:seed|recovery|backup){_BETWEEN}phrase"
    rf"|(?:recovery|backup|verification|time){_BETWEEN}code|(?:x|errata|laravel){_BETWEEN}session"
    r"|(?:pass|pw|psw|mdp|clave|answer|auth(?:2|_?(?:data|value|state))?|signature(?:[^a-z0-9\"\\]*\d+)?)_*\b)"
)
_PART = f"(?:{_PART_BUT_COOKIE}|cookie)"
_WHOLE = r"(?:auth|session|pin|otp|pass|tokens|dsn|symfony)"
# In quotes or brackets.
_ALONE = rf'[^\w"]*_*{_WHOLE}_*[^\w"]*'
_NAME = rf"(?:{_PART}(?:[\w.$%\-\x80-\xff]|\\+u00[c-f][0-9a-f])*|(?:\b|%[0-9a-f]{{2}}|\\+[nrt])_*{_WHOLE}_*)"
# Whose value is a secret even as a plain word.
_STRONG = (
    r"(?:pass|pwd|phrase|secret|credential|cvv|cvc|ccv|csc|ssn|iban|\bpin|\botp|phpsessid|kennwort|contrase|senha"
    r"|pw|psw|clave|mnemonic|number|wachtwoord|senord|answer"
    rf"|{_ELSEWHERE}"
    rf"|{_KEY}|card{_BETWEEN}[nc]"
    rf"|credit{_BETWEEN}card)"
)
_PASSWORD = (
    rf"(?:passw|pwd|passphrase|passcode|kennwort|de{_BETWEEN}passe|contrase|senha|wachtwoord|senord"
    rf"|{_ELSEWHERE})"
)
_STANDS_FOR_NONE = ("none", "null", "nan", "true", "false", "[filtered]")
_QUOTES, _BACKSLASH = r"\"'`\\", r"\\"
_JSON_VALUE = _other_than(_STANDS_FOR_NONE, '"')
_VALUE = f"(?:{_other_than(_STANDS_FOR_NONE, _QUOTES)}|{_BACKSLASH}+[a-z])"
# Neither `None` nor an argument that is called as what it holds.
_WORD = _other_than(("none", "null", "auth", "cookies"), r"\W")
# Spaces beyond ASCII are two bytes or three.
_BLANK = r"(?:\s|\\+[nrt]|\\+u(?:00a0|20[0-9a-f]{2}|3000)|[\x80-\xff])"
_SPACE = f"{_BLANK}*"
# No further than the string of JSON reaches: what is looked for to the end of all is looked for as often.
_WITHIN = r'(?:[^<>"\\]|\\.)'
_QUOTE = r"(?:\\*[\"'`]|%22|&quot;|&#39;)"
_CLOSED = r"(?:\]|%5D)?"
_FIXED_SPACE = r"\xc2\xa0|\xe2\x80\xaf|\\+u(?:00a0|202f)"
_SIGN = rf"{_CLOSED}{_QUOTE}?{_CLOSED}(?:[ \t]|{_FIXED_SPACE})*(?:[=:]|%(?:25)*3[DA])[>=]*"
_SIGNS = r"[A-Za-z_.:/!?;&|\-]"
_COOKIE = r'\s*"(?:[^"\\]|\\.)*"\s*:\s*'
_LETTERS = r"a-z_\-"
_LETTER = f"[{_LETTERS}]"
_ASSIGNED = (
    # A key of JSON, and its value.
    rf'(?:{_PART}{_REST}|"{_ALONE})"\s*:\s*(?:"{_JSON_VALUE}|[1-9]|-|0\.|\[[^\]])',
    rf'(?:{_PART_BUT_COOKIE}{_REST}|cookie(?:[^s"\\][^"\\]*)?|cookies[^"\\]+|"{_ALONE})"'
    rf'\s*:\s*{{"(?:[^"]|"\s*:\s*[^{{])',
    # Cookies by name, one of which holds more than a word.
    rf'cookies"\s*:\s*{{(?:{_COOKIE}"(?:{_LETTER}{{0,{LONGEST_WORD}}}|\[filtered\])"\s*,\s*)*{_COOKIE}'
    rf'(?:[^"\s{{]|{{(?:[^"]|"[^"])|"(?:{_LETTER}{{0,{LONGEST_WORD}}}[^{_LETTERS}"\[]|{_LETTER}+\[|\[(?:[^f]|f[^i])'
    rf"|{_LETTER}{{{LONGEST_WORD + 1}}}))",
    # The same in JSON that is a text.
    rf"{_NAME}{_CLOSED}(?:\\+[\"'`]|'|%22|&quot;){_SPACE}:{_SPACE}[\[{{][^\]}}]",
    # Where an object is a name and its value.
    r'"type"\s*:\s*"password"',
    rf'"(?:name|key|field|header)\\*"\s*:\s*\\*"(?:(?:[^"\\]|\\.)*{_PART}|{_ALONE}")',
    rf'"loc\\*"\s*:\s*\[[^\]]*(?:{_PART}|"{_ALONE})',
    # A name within a text, and a value in quotes, which may be escaped, or in a list.
    rf"{_NAME}{_SIGN}{_SPACE}(?:\w*secret\w*\()?[(\[]?{_SPACE}\w?\w?{_QUOTE}{_VALUE}",
    # A value without quotes: with a digit or a sign in it, or long, or right after the sign.
    rf"{_NAME}{_SIGN}(?:[ \t]|\\+t)*"
    rf"(?:{_SIGNS}*(?:[^A-Za-z_.:/!?\-\s\"'`<>()\[\]{{}},\\;&|]|[;&|][A-Za-z_]|\\+u)"
    r"|[A-Za-z_.]{30})",
    rf"{_NAME}{_CLOSED}(?:=|%(?:25)*3D)(?:\\+t)*(?:{_WORD}[A-Za-z_]*[^\w.(\[]|[A-Za-z]{{1,3}}[^\w.,()\[\\\"']|{_SIGNS}*\\+u)",
    rf"authorization{_SIGN}[ \t]*[\w\-]+[ ]+[^\s\"\\]",
    r"cookie\w*:[^\"\\]*=",
    # A name and its value one after the other: in a list, as arguments, in a sentence. The list is known by
    # its end: behind its beginning, every name would be looked for twice at a time.
    rf"(?:{_PART}[^\"'`\\]*|{_QUOTE}{_ALONE}){_QUOTE}\"?{_SPACE},{_SPACE}"
    rf"(?:[{{\[\d\-]|\w?{_QUOTE}(?:[^\"\\]|\\.)+{_QUOTE}{_SPACE}[\])])",
    rf"--(?:[\w.$\-\[]*{_PART}[\w.$\-\]]*|\[?{_WHOLE}\]?)(?: |{_QUOTE},)",
    # In XML and forms, PHP, lists of names and values, rows of a statement.
    rf"{_NAME}{_QUOTE}?(?:{_BLANK}{_WITHIN}*)?(?:>|&gt;){_WITHIN}+(?:</|&lt;/)",
    rf"{_NAME}</key>",
    rf"{_NAME}{_QUOTE}?,?{_SPACE}{_QUOTE}?(?:value|content|rejectedvalue|input){_QUOTE}?\s*[:=]",
    rf"{_NAME}\\*[\"'](?:(?:\\+[rn])+|\]=>{_SPACE}string|;s:\d)",
    rf"{_NAME}\\+n[^\"\\]*input_value=",
    rf"{_NAME}{_CLOSED}(?:[:=]|%3D)[\[{{][^\s\[\]{{}}\"]",
    rf"{_NAME}[ \t]+(?:like|in *\()[ \t]*",
    rf"(?:{_PASSWORD}|(?:api|access|secret)[ _.\-]?key|client[ _.\-]?secret)[\w.\-]*(?: |\t|\\+t)+"
    r"(?:(?:is|was|provided|given|(?:changed|re)?(?:set)? ?to|->|\||for +[^\s\"]+):?(?: |\t|\\t)+)?"
    r"[a-z0-9!@$%^*_+\-]*\d",
    # A plain word that may be a password.
    rf"{_PASSWORD}(?:[\w.$%\-\x80-\xff]|\\+u00[c-f][0-9a-f])*"
    rf"(?:{_SIGN}{_SPACE}|[ \t]+(?:is|was|ist|est|es)[ \t]+|(?:\\+[nr])+[ \t]*)"
    rf"[^\s\"'`<>{{}}\[\]():,;=\\]{{4}}",
    rf"(?:{_PART}|\b{_WHOLE}\b)(?:[^\"\\]|\\.)*\[parameters: ?[(\[]",
    rf"{_NAME}(?:[\w\s,.`]|\\.)*\){_SPACE}(?:values|=)",
    rf"{_STRONG}[\w.$%\-]*(?:{_BLANK}+(?:(?:is|was){_BLANK}+)?|\(){_QUOTE}{_VALUE}",
)
# In lower case or as they are; the card numbers are those that start as a network's do.
_GAP = rf"(?:[ ._\-]|{_FIXED_SPACE})"
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
    "Errata token": r"errata_token_",
    "bearer token": rf"(?i:bearer){_BLANK}+[\w.~+/=\-]{{8}}",
    "basic credentials": rf"(?i:basic){_BLANK}+[\w+/]{{6}}",
    "password in a URL": r'//[^\s/:@"?#\\]*:[^\s/?#"\\]+@|%3A%2F%2F[^\s"/]*%40',
    "password of curl": r'curl(?:[^"\\]|\\.)*(?:-\w*u|--user|-b)|--proxy-user',
    "private JSON web key": r'"kty\\*"',
    "password of a command": r"(?:mysql|mariadb|sshpass|(?:docker|podman) login|redis-cli)"
    rf'(?:[^"\\]|\\.)*{_BLANK}-[pa]',
    "password in SQL": rf"(?i:identified){_BLANK}+(?i:by|with)",
    "value of an HTML input": r"(?i:<input)",
    # Not within a hexadecimal id, in which digits stand before the letters.
    "card number": r"(?:[^\da-f.+\-]|\D\.|[g-zG-Z_][a-f]+)"
    rf"(?:(?:[3-6]\d{{3}}|2[2-7]\d\d)(?:\d{{9,15}}|(?:{_GAP}\d{{4}}){{3}})|3\d{{3}}{_GAP}\d{{6}}{_GAP}\d{{4,5}})"
    rf"(?:\D|$|{_GAP}?\d{{3}})",
    # What stands before the next two begin with is left to the closer look: it would multiply the states.
    "IBAN": r"[A-Z]\d\d(?:[A-Z0-9]{11}| [A-Z0-9]{4} [A-Z0-9]{4})|[a-z]\d\d (?:[a-z0-9]{4} ){2}",
    "social security number": r"\d{3}-\d\d-\d{4}",
    # No long repetition behind a class of characters: the number of states would multiply.
    "service token": r"key-[0-9a-f]{4}|[0-9a-f]-us\d|xkeysib-|re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20}"
    r"|pat[A-Za-z0-9]{14}\.[0-9a-z]{8}|sl\.[\w\-]{40}|EAA[A-Za-z0-9]{40}|sq0[a-z]{3}-"
    r"|access_token\$|rzp_live_|access-(?:pro|dev|san)|\.[GXYZ][\w\-]{5}\.[\w\-]{27}|1//0|A{20}"
    r"|webhookb2/|r8_[A-Za-z0-9]{4}"
    r"|PMAK-|ntn_|figd_|dp\.pt\.|\.atlasv1\.|pul-[0-9a-f]{4}|pscale_|sbp_[0-9a-f]{4}|nfp_|CFPAT-"
    r"|sk\.eyJ|sntryu_|AGE-SECRET-KEY|xprv",
    "PuTTY key": "Private-(?:Lines|MAC):",
    "link with a token": r"(?i:reset|password|confirm|verif|invit|magic|activat|unsubscribe)"
    r"[\w\-]*/(?:[\w\-]{1,12}/)?[\w\-]{12}",
    "link of Errata": "/(?:shared|link)/[A-Za-z0-9]{40}",
    "code of a callback": r"[?&#]code=[^\"\\]{6}|[?&]ticket=[SP]T-",
    "password of Oracle": r"(?:jdbc:oracle:|sqlplus )[^\s\"]*/",
    "password in netrc": r"machine(?:\s|\\n)+",
    "password in pgpass": r":(?:[56]\d{3}|\*):[\w*\-]+:[\w*\-]+:",
}
assert set(_SHAPES) == {kind.name for kind in KINDS}
# Letters and signs written as escapes that hide them, in a text that is JSON or a URL itself.
_HIDDEN = (
    r"\\\\u00[2-7][0-9A-Fa-f]|%(?:[24567][0-9A-Fa-f]|3[A-Fa-f]|0[9ADad]|[Cc]2|[Ee]2)"
    r"|=[^\s&?#=;\"'<>\\+]+\+[\w-]"
)


def options() -> re2.Options:
    """For bytes, without groups: what finds, and no more."""
    chosen = re2.Options()
    chosen.encoding = re2.Options.Encoding.LATIN1
    chosen.never_capture = True
    chosen.log_errors = False
    chosen.max_mem = 64 << 20
    return chosen


# Escapes of letters and signs that need none: they hide what is looked for.
_NEEDLESS_ESCAPE = r"\\u00[2-7]|\\/"
# Numbers that may be out of range: what they stand in is decoded, which says so.
_LARGE_NUMBER = r"[:,\[][ \t\r\n]*-?(?:\d{40}|[\d.]+[eE]\+?\d{3})"
_PARTS = (
    *(f"(?i:{part})" for part in _ASSIGNED),
    *_SHAPES.values(),
    _HIDDEN,
    _NEEDLESS_ESCAPE,
    _LARGE_NUMBER,
)
_SUSPECT = re2.compile("|".join(_PARTS).encode(), options())
_needless_escape = re2.compile(_NEEDLESS_ESCAPE.encode(), options())
BACKSLASH = ord("\\")
BEFORE_NUMBERS = b":,[ "
_match = _SUSPECT._regexp.Match  # Without an object for every match, it takes half the time.


def suspects(text: bytes) -> list[int]:
    """Where in JSON something begins that may be or hold a secret: once a string, and at numbers.

    The search goes on at the end of the string it begins in, whatever else it reaches over.
    """
    found: list[int] = []
    at, end = 0, len(text)
    while True:
        start = _match(re2._Anchor.UNANCHORED, text, at, end)[0][0]
        if start < 0:
            return found
        found.append(start)
        # In the same string no more is looked for: what starts many times in it would be read as often.
        at = start + 1 if text[start] in BEFORE_NUMBERS else closing_quote(text, start + 1) - 1


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
    """Whether nothing is escaped for no need. The scan finds such escapes, and not what they hide."""
    return _needless_escape.search(text) is None

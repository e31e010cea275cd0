"""What version 3 takes for values in messages beyond their templates: dates in words, hosts, quoted words."""

from __future__ import annotations

import re

_VALUE = r"(?:⟨number⟩|\d{1,4})"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_ZONE = r"(?: ?(?:[AaPp][Mm]|GMT|UTC|CES?T|[EP][SD]T|Z|[+-]⟨number⟩)\b)?"
_DATE = re.compile(
    rf"(?:{_DAY},? )?(?:{_MONTH} {_VALUE}(?:st|nd|rd|th)?|{_VALUE}[ -]{_MONTH}(?=[ -]))"
    rf"(?:,?[ -]{_VALUE})?(?:,? ⟨date⟩)?(?:{_ZONE} {_VALUE})?{_ZONE}"
    rf"|⟨date⟩(?:[ T,]+⟨date⟩)?{_ZONE}"
)
_HOST = re.compile(
    r"(?<![\w.@/⟩-])(?:[\w-]|⟨number⟩|⟨hex⟩|⟨id⟩){1,80}(?:\.(?:[\w-]|⟨number⟩|⟨hex⟩){1,64}){0,8}"
    r"\.(?:com|net|org|local|internal|lan|cloud|dev|svc|test|example|de|fr|uk|eu|us)(?::⟨number⟩)?(?![\w.(-])"
)
_QUOTED = re.compile(r"(?<!\w)(?:'[\w$.-]{1,64}'|\"[\w$.-]{1,64}\"|`[\w$.-]{1,64}`)(?!\w)")
# Whether there is anything to look for.
_TELLING = re.compile(r"⟨date⟩|['\"`.]|" + _MONTH)


def without_values(template: str, *, quoted: bool) -> str:
    if not _TELLING.search(template):
        return template
    template = _HOST.sub("⟨host⟩", _DATE.sub("⟨date⟩", template))
    return _QUOTED.sub("⟨string⟩", template) if quoted else template

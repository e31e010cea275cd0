"""Scrubs many JSON objects of one item, such as the events of a recording, one by one: objects are only made
of those that may hold a secret, and the bounds are of all together."""

from errata.scrubbing.bounds import Allowance, TooLarge, TooManySuspects
from errata.scrubbing.payload import scrubbed
from errata.scrubbing.rules import RULES, ScrubbingRules
from errata.scrubbing.scan import suspects

# To look into: two seconds.
SUSPECTS_MAX = 60_000
# Python's objects take many times the size of their JSON.
OBJECTS_MAX_BYTES = 32 << 20
CONTAINERS_MAX = 4_000_000


class OneByOne:
    def __init__(self, rules: ScrubbingRules = RULES) -> None:
        self._rules = rules
        self._allowance = Allowance()
        self._suspects_left = SUSPECTS_MAX

    def scrubbed(self, text: bytes) -> bytes:
        """The JSON without secrets. Raises TooDeep, TooLarge, TooManySuspects, and DecodeError,
        RecursionError or UnicodeDecodeError for what cannot be decoded."""
        found = suspects(text)
        if not found and self._rules.patterns is None:
            return text
        self._suspects_left -= len(found)
        if self._suspects_left < 0:
            raise TooManySuspects
        if len(text) > OBJECTS_MAX_BYTES or text.count(b"{") + text.count(b"[") > CONTAINERS_MAX:
            raise TooLarge
        wrapped = b'{"":' + text + b"}"
        return scrubbed(wrapped, self._rules, self._allowance)[4:-1]

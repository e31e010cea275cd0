"""What is looked into of one payload at most."""

DEEPEST = 200
# Characters of a payload's texts that may hold secrets: to look into a million takes a second.
MOST_LOOKED_INTO = 512 << 10
# Texts and names: some 40 us each.
MOST_SUSPECTS = 20_000


class TooDeep(Exception):
    """The payload is nested deeper than any SDK nests."""


class TooManySuspects(Exception):
    """More texts and names of the payload may hold secrets than can be looked into."""


class TooLarge(Exception):
    """A part of the payload is too large to make objects of."""


class Allowance:
    """How much of a payload may still be looked into. Beyond it, texts that may hold a secret are hidden
    whole."""

    def __init__(self) -> None:
        self._left = MOST_LOOKED_INTO

    def take(self, text: str) -> bool:
        """Whether there is enough for the text, which is then looked into."""
        if len(text) > self._left:
            return False
        self._left -= len(text)
        return True

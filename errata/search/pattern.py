"""A value as people write it: text in which `*` stands for anything."""

from dataclasses import dataclass
from functools import cached_property

# What is special in a value, and what a quoted one must mark.
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@/+-:$#%&?~^|;'()")


@dataclass(frozen=True)
class Pattern:
    """`parts` are the texts around the stars: one part is compared as a whole."""

    parts: tuple[str, ...]

    @classmethod
    def exact(cls, text: str) -> "Pattern":
        return cls((text,))

    @property
    def has_wildcard(self) -> bool:
        return len(self.parts) > 1

    @property
    def is_anything(self) -> bool:
        """Only stars."""
        return self.has_wildcard and not any(self.parts)

    @cached_property
    def folded(self) -> "Pattern":
        return Pattern(tuple(part.lower() for part in self.parts))

    @property
    def text(self) -> str:
        """The whole of an exact value."""
        return "*".join(self.parts)

    @property
    def written(self) -> str:
        """As it can be read again, in quotes only where it must be."""
        text = "*".join(_escaped(part) for part in self.parts)
        return text if _is_bare(text) else self.quoted

    @property
    def quoted(self) -> str:
        """In quotes, so that nothing in it is a key or an operator."""
        text = "*".join(_escaped(part) for part in self.parts)
        return f'"{text}"'

    @property
    def like(self) -> str:
        """As the warehouse compares it."""
        return "%".join(
            part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") for part in self.parts
        )


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("*", "\\*")


def _is_bare(text: str) -> bool:
    plain = text.replace("*", "").replace("\\", "")
    # Behind a key a second colon makes a word of both, as in `Shop::Cart`.
    return (
        bool(text)
        and text[0] != ":"
        and "\\" not in text
        and (not plain or PLAIN.issuperset(plain) or plain.isalnum())
    )

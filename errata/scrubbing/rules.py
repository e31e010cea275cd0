"""What counts as a secret."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from errata_wire import secret_text
from errata_wire.secret_text import NAMES, SMALLEST_CARD_NUMBER, Names, Span, is_card_number, merged

from errata.scrubbing.patterns import Patterns

# By these an item is told from others and put together with them: no pattern of a project is for them.
OF_THE_PROTOCOL = frozenset(
    {
        *("event_id", "trace_id", "span_id", "parent_span_id", "segment_id", "replay_id", "replayId"),
        *("profile_id", "timestamp", "start_timestamp", "end_timestamp"),
    }
)


@dataclass(frozen=True)
class ScrubbingRules:
    """The rules a payload is scrubbed by; by themselves those that come with Errata."""

    names: Names = NAMES
    is_own_name: Callable[[str], bool] | None = None
    """Whether a name is one of those a project adds."""
    patterns: Patterns | None = None
    """Of values that are secrets in the project; their prefilter knows its names too."""
    kept: Patterns | None = None
    """Of values that are none, whatever else says so."""

    @property
    def is_sensitive(self) -> Callable[[str], bool]:
        """Whether the value under a name is a secret."""
        return self.names.is_secret

    def clean(self, text: str, is_source: bool) -> str:
        """The text itself where it holds no secret."""
        if self.keeps(text):
            return text
        return secret_text.without_secrets(text, is_source=is_source, spans_of=self._spans)

    def keeps(self, value: Any) -> bool:
        """Whether a text or a number is to be stored as it is."""
        return self.kept is not None and type(value) in (str, int, float) and self.kept.is_whole(str(value))

    def is_secret_number(self, number: float, is_of_protocol: bool = False) -> bool:
        digits = str(number)
        is_card = type(number) is int and number >= SMALLEST_CARD_NUMBER and is_card_number(digits)
        is_own = self.patterns is not None and not is_of_protocol and self.patterns.is_whole(digits)
        return (is_card or is_own) and not self.keeps(number)

    def own_strings(self, payload: dict[str, Any]) -> set[str]:
        """Texts, names and numbers of a payload in which something of the project's own may be."""
        patterns, is_own_name = self.patterns, self.is_own_name
        if patterns is None or is_own_name is None:
            return set()
        names, values = _strings_of(payload)
        found = {text for text in names | values if patterns.may_be_in(text)}
        found.update(filter(is_own_name, names))
        return found

    def _spans(self, text: str, *, is_source: bool) -> list[Span]:
        spans = secret_text.secret_spans(text, is_source=is_source, names=self.names)
        if self.patterns is not None:
            spans = merged((*spans, *self.patterns.spans(text)))
        return [(start, end) for start, end in spans if not self.keeps(text[start:end])]


def _strings_of(payload: dict[str, Any]) -> tuple[set[str], set[str]]:
    """Names, and values."""
    names: set[str] = set()
    values: set[str] = set()
    containers: list[Any] = [payload]
    while containers:
        container = containers.pop()
        if type(container) is dict:
            names.update(container)
            container = container.values()
        for value in container:
            kind = type(value)
            if kind is str:
                values.add(value)
            elif kind is dict or kind is list:
                containers.append(value)
            elif kind is int or kind is float:
                values.add(str(value))
    return names, values


RULES = ScrubbingRules()

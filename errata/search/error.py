"""What is wrong with a search, where, and what may have been meant."""

from errata.errors import InvalidParameter


class SearchError(InvalidParameter):
    """`position` and `end` count characters of the text; `suggestion` replaces what stands between them."""

    def __init__(self, problem: str, position: int, end: int, suggestion: str = "") -> None:
        meant = f" Did you mean {suggestion}?" if suggestion else ""
        super().__init__("query", f"{problem} (at character {position + 1}).{meant}")
        self.reason = problem
        self.position = position
        self.end = end
        self.suggestion = suggestion

    def without_suggestion(self) -> "SearchError":
        return SearchError(self.reason, self.position, self.end)

    @property
    def extra(self) -> dict[str, object]:
        """What an answer tells programs beside the sentence."""
        return {"position": self.position, "end": self.end, "suggestion": self.suggestion}

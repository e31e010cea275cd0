"""What a project filters beyond the built-in rules, and what it does not filter."""

from dataclasses import dataclass

from errata.scrubbing.secret_text import is_sensitive, without_secrets


@dataclass(frozen=True)
class ScrubbingRules:
    """The rules in force for a project."""

    patterns: tuple[str, ...] = ()

    def is_sensitive(self, name: str) -> bool:
        return is_sensitive(name)

    def clean(self, text: str, is_source: bool) -> str:
        return without_secrets(text, is_source=is_source)


NO_RULES = ScrubbingRules()

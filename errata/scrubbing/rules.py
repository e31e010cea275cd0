"""What counts as a secret."""

from collections.abc import Callable
from dataclasses import dataclass

from errata.scrubbing import secret_text


@dataclass(frozen=True)
class ScrubbingRules:
    """The rules a payload is scrubbed by."""

    is_sensitive: Callable[[str], bool] = secret_text.is_sensitive
    """Whether the value under a name is a secret."""

    def clean(self, text: str, is_source: bool) -> str:
        return secret_text.without_secrets(text, is_source=is_source, is_secret_name=self.is_sensitive)


RULES = ScrubbingRules()

"""Takes secrets out of what was sent, before it is stored: the last line of defense, after the SDK's own."""

from errata_wire.secret_text import FILTERED, without_secrets

from errata.scrubbing.bounds import DEEPEST, MOST_SUSPECTS, TooDeep, TooLarge, TooManySuspects
from errata.scrubbing.one_by_one import OneByOne
from errata.scrubbing.payload import in_our_words, scrubbed, scrubbed_object
from errata.scrubbing.project_rules import (
    NO_PROJECT_RULES,
    ProjectRules,
    ScrubbingRulesNotUnderstood,
    compiled,
    rules_of,
)
from errata.scrubbing.rules import RULES, ScrubbingRules

__all__ = [
    "DEEPEST",
    "FILTERED",
    "MOST_SUSPECTS",
    "NO_PROJECT_RULES",
    "RULES",
    "OneByOne",
    "ProjectRules",
    "ScrubbingRules",
    "ScrubbingRulesNotUnderstood",
    "TooDeep",
    "TooLarge",
    "TooManySuspects",
    "compiled",
    "in_our_words",
    "rules_of",
    "scrubbed",
    "scrubbed_object",
    "without_secrets",
]

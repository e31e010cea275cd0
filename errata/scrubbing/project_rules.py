"""What a project adds to the rules, and what it excepts from them."""

import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache

from errata_wire.secret_text import NAMES, Names, is_sensitive, words_of

from errata.errors import ErrataError
from errata.scrubbing.patterns import MOST_INSTRUCTIONS, PatternNotUnderstood, Patterns, instruction_count
from errata.scrubbing.rules import OF_THE_PROTOCOL, RULES, ScrubbingRules

log = logging.getLogger("errata.scrubbing")

MOST_RULES = 50
LONGEST_RULE = 200
NAME = re.compile(r"[ _.$-]*[A-Za-z0-9][A-Za-z0-9 _.$-]*")
SEPARATOR = "[ _.-]?"
TOO_LONG = f"longer than {LONGEST_RULE} characters"


class ScrubbingRulesNotUnderstood(ErrataError):
    """Names every entry that cannot be used."""

    code = "scrubbing_rules_not_understood"

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True)
class ProjectRules:
    """As people write them: names and RE2 patterns."""

    filtered_names: tuple[str, ...] = ()
    filtered_patterns: tuple[str, ...] = ()
    kept_names: tuple[str, ...] = ()
    kept_patterns: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """As it is stored; empty where there are no rules."""
        return json.dumps(asdict(self)) if self != NO_PROJECT_RULES else ""

    @classmethod
    def of(cls, text: str) -> "ProjectRules":
        if not text:
            return NO_PROJECT_RULES
        return cls(**{name: tuple(entries) for name, entries in json.loads(text).items()})

    def require_understood(self) -> None:
        if problems := list(_problems(self)):
            raise ScrubbingRulesNotUnderstood(problems)


NO_PROJECT_RULES = ProjectRules()


@lru_cache(maxsize=256)
def rules_of(text: str) -> ScrubbingRules:
    """Those of a project, as they are stored; they were understood before they were stored."""
    if not text:
        return RULES
    try:
        return compiled(ProjectRules.of(text))
    except PatternNotUnderstood as error:
        log.error("A project's secret pattern is no longer valid: %s", error)
        return RULES


def compiled(rules: ProjectRules) -> ScrubbingRules:
    own = frozenset(map(key_of, rules.filtered_names))
    kept = frozenset(map(key_of, rules.kept_names))

    @lru_cache(maxsize=8192)
    def is_own_name(name: str) -> bool:
        # The last part of a name such as `app.customer_number` too.
        return key_of(name) in own or key_of(name.rpartition(".")[2]) in own

    @lru_cache(maxsize=8192)
    def is_secret(name: str) -> bool:
        key = key_of(name)
        return key not in kept and (is_own_name(name) or is_sensitive(name))

    has_own = bool(rules.filtered_names or rules.filtered_patterns)
    return ScrubbingRules(
        names=_names(own, is_secret),
        is_own_name=is_own_name if has_own else None,
        patterns=Patterns(rules.filtered_patterns, _whole_names(own)) if has_own else None,
        kept=Patterns(rules.kept_patterns) if rules.kept_patterns else None,
    )


def key_of(name: str) -> str:
    """What all ways to write a name have in common."""
    return words_of(name)


PROTOCOL = frozenset(map(key_of, OF_THE_PROTOCOL))


def _names(own: frozenset[str], is_secret: Callable[[str], bool]) -> Names:
    if not own:
        return NAMES._replace(is_secret=is_secret)
    written = "|".join(_written(own))
    return Names(
        pattern=re.compile(f"{NAMES.pattern.pattern}|{written}"),
        is_secret=is_secret,
        strong=re.compile(f"{NAMES.strong.pattern}|{written}"),
    )


def _written(own: Iterable[str]) -> list[str]:
    """In lower case; the longest first, as the first that fits is taken."""
    return [SEPARATOR.join(key.split("_")) for key in sorted(own, key=lambda key: (-len(key), key))]


def _whole_names(own: Iterable[str]) -> list[str]:
    """Where in a text one of the names may stand as a whole, for RE2."""
    return [f"(?i:(?:^|[^a-z0-9]|%[0-9a-f]{{2}}){name}(?:[^a-z0-9]|$))" for name in _written(own)]


def _problems(rules: ProjectRules) -> Iterator[str]:
    for kind, entries in (("filtered", rules.filtered_names), ("kept", rules.kept_names)):
        yield from _problems_of(f"{kind}_names", entries, _problem_of_name)
    for kind, entries in (("filtered", rules.filtered_patterns), ("kept", rules.kept_patterns)):
        yield from _problems_of(f"{kind}_patterns", entries, _problem_of_pattern)
    kept = {key_of(name) for name in rules.kept_names}
    for number, name in enumerate(rules.filtered_names, 1):
        if key_of(name) in kept:
            yield f"filtered_names, entry {number}: {name} is also in kept_names"
        if key_of(name) in PROTOCOL:
            yield f"filtered_names, entry {number}: {name} is needed to tell events apart"


def _problems_of(
    where: str, entries: Sequence[str], problem_of: Callable[[str], tuple[int, str]]
) -> Iterator[str]:
    if len(entries) > MOST_RULES:
        yield f"{where}: {len(entries)} entries; the limit is {MOST_RULES}"
    instructions = 0
    for number, entry in enumerate(entries[:MOST_RULES], 1):
        taken, problem = problem_of(entry) if len(entry) <= LONGEST_RULE else (0, TOO_LONG)
        instructions += taken
        if problem:
            yield f"{where}, entry {number}: {problem}"
    if instructions > MOST_INSTRUCTIONS:
        yield f"{where}: too complex in total; use fewer patterns and smaller counts in braces"


def _problem_of_name(name: str) -> tuple[int, str]:
    return 0, "" if NAME.fullmatch(
        name
    ) else "a name may only contain Latin letters, digits, spaces and _ . - $"


def _problem_of_pattern(pattern: str) -> tuple[int, str]:
    if not pattern.isprintable():
        return 0, "a pattern can't contain line breaks or control characters; write \\n, \\t or \\x00"
    try:
        return instruction_count(pattern), ""
    except PatternNotUnderstood as error:
        return 0, str(error)

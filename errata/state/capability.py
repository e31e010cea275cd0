"""What an access token of a project may do. Routes and tools name what they need; everything else about
capabilities derives from this file and those declarations."""

from enum import StrEnum


class Capability(StrEnum):
    """What a program with the token may do."""

    words: str

    def __new__(cls, value: str, words: str = "") -> "Capability":
        member = str.__new__(cls, value)
        member._value_ = value
        member.words = words
        return member

    READ = "read", "read the project"
    VERDICT = "verdict", "read budgets, verdicts of releases and their issues"
    UPLOAD = "upload", "upload source maps and releases"
    SQL = "sql", "run SQL on its data"
    AGENT = "agent", "connect through the Model Context Protocol"
    TRIAGE = "triage", "resolve, ignore, assign and comment on issues"

"""Commits of a release that may have caused an issue: they changed files of its stack."""

from errata.suspects.answer import SuspectCommits, suspect_commits
from errata.suspects.matching import Suspect, Unknown

__all__ = ["Suspect", "SuspectCommits", "Unknown", "suspect_commits"]

"""Issues that have to do with one: the same users, the same minutes, a similar stack, the same release."""

from errata.related.answer import RelatedIssues, related_issues
from errata.related.axes import AXES, Axis, Related, Subject, subject

__all__ = ["AXES", "Axis", "Related", "RelatedIssues", "Subject", "related_issues", "subject"]

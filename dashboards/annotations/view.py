"""Annotations as rows of a list, each with the fields of its form."""

from collections.abc import Sequence
from dataclasses import dataclass

from errata.reports import formats
from errata.state.annotations import Annotation


@dataclass(frozen=True, slots=True)
class Fields:
    """`id` is empty for a new annotation."""

    text: str
    at: str
    until: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class ListedAnnotation:
    annotation: Annotation
    since: str
    until: str
    fields: Fields
    can_change: bool


def listed(annotations: Sequence[Annotation], email: str, is_owner: bool) -> list[ListedAnnotation]:
    """The latest first."""
    return [_row(each, is_owner or each.author == email) for each in reversed(annotations)]


def _row(each: Annotation, can_change: bool) -> ListedAnnotation:
    since, until = formats.minute(each.note.at), formats.minute(each.note.until) if each.note.until else ""
    return ListedAnnotation(each, since, until, _fields(each), can_change)


def _fields(each: Annotation) -> Fields:
    note = each.note
    until = formats.field_minute(note.until) if note.until else ""
    return Fields(note.text, formats.field_minute(note.at), until, each.id)

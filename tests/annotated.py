"""Annotations as charts get them."""

from dataclasses import asdict

from errata.state.annotations import Annotation, Note


def annotated(note: Note) -> Annotation:
    return Annotation(
        id="",
        project_id=7,
        user_id=1,
        author="ada@shop.example",
        created_at=note.at,
        changed_at=note.at,
        **asdict(note),
    )

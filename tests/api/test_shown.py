from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from pydantic import AliasPath, Field

from api.shown import IssueIdText, IssueIdTextIfAny, Shown, UuidText, digits


@dataclass(frozen=True, slots=True)
class Frame:
    line: int
    file_name: str


@dataclass(frozen=True, slots=True)
class Event:
    id: UUID
    issue_id: int
    seconds: float
    frames: tuple[Frame, ...]

    @property
    def frame_count(self) -> int:
        return len(self.frames)


class FrameShown(Shown):
    line: int
    file: str = Field(validation_alias="file_name")


class EventShown(Shown):
    id: UuidText
    issue_id: IssueIdText
    merged_into: IssueIdTextIfAny
    seconds: Annotated[float, digits(2)]
    frames: list[FrameShown]
    frame_count: int
    first_line: int = Field(validation_alias=AliasPath("frames", 0, "line"))


EVENT = Event(UUID(int=10), 11, 1.23456, (Frame(7, "a.py"), Frame(8, "b.py")))


def test_fields_are_the_attributes_of_a_value_and_of_the_values_in_it() -> None:
    shown = EventShown.of(EVENT, merged_into=0)

    assert shown.model_dump() == {
        "id": "0000000000000000000000000000000a",
        "issue_id": "000000000000000b",
        "merged_into": None,
        "seconds": 1.23,
        "frames": [{"line": 7, "file": "a.py"}, {"line": 8, "file": "b.py"}],
        "frame_count": 2,
        "first_line": 7,
    }


def test_computed_fields_go_before_attributes() -> None:
    shown = EventShown.of(EVENT, merged_into=12, frame_count=3)

    assert (shown.merged_into, shown.frame_count) == ("000000000000000c", 3)


def test_a_field_of_another_name_is_known_by_its_own_name_too() -> None:
    assert FrameShown(line=1, file="c.py").model_dump() == {"line": 1, "file": "c.py"}
    assert FrameShown.of(FrameShown(line=1, file="c.py"), line=2).model_dump() == {"line": 2, "file": "c.py"}

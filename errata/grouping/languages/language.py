"""What a language's frames ask of grouping under version 2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from errata.grouping.shape import FrameShape


def _never(_frame: FrameShape) -> bool:
    return False


def _as_it_is(template: str) -> str:
    return template


@dataclass(frozen=True, slots=True)
class Language:
    # The place a frame stands for, the same from build to build; empty where nothing in it lasts.
    place: Callable[[FrameShape], str]
    # Put there by the compiler, the runtime or a proxy, in some versions of them.
    is_generated: Callable[[FrameShape], bool] = _never
    # Of a well-known library, whatever the SDK took it for.
    is_library: Callable[[FrameShape], bool] = _never
    # Types that say nothing of their own, or whose message the engine words from the code itself.
    spoken_types: tuple[str, ...] = ()
    # One wording for what versions of the engine say in different ones.
    reworded: Callable[[str], str] = _as_it_is

    def is_spoken(self, type_: str) -> bool:
        return any(
            type_.startswith(spoken[:-1]) if spoken[-1] == "*" else type_ == spoken
            for spoken in self.spoken_types
        )

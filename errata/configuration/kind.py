"""What a kind of configuration says about itself; a kind is one file of `errata/configuration/kinds`."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict
from pydantic_core import PydanticCustomError

from errata.configuration.change import Change, Sign, differences
from errata.configuration.context import Context
from errata.configuration.errors import NameNotUnique
from errata.configuration.source import Location
from errata.errors import ErrataError, InvalidParameter


class Entry(BaseModel):
    """One thing of a file: no field but these, and each of the type it has."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _simple(values: dict[str, Any]) -> dict[str, Any]:
    for name, value in values.items():
        is_texts = isinstance(value, list) and all(isinstance(each, str) for each in value)
        if not is_texts and not isinstance(value, str | int | float | bool):
            raise PydanticCustomError(
                "not_simple", "{name}: use text, a number, true, false or a list of texts", {"name": name}
            )
    return values


SimpleValues = Annotated[dict[str, Any], AfterValidator(_simple)]
"""Of a kind that checks its values: nothing deeper than a list."""
Value = TypeVar("Value")
Wrong = tuple[Location, str]


class Kind(ABC, Generic[Value]):
    """`field` is the kind's name in a file, `noun` what people read, `shape` the type of its value."""

    field: ClassVar[str]
    noun: ClassVar[str]
    description: ClassVar[str]
    shape: Any
    changes_last: ClassVar[bool] = False
    """Whether stored things are changed after projects: they may name new ones."""

    @abstractmethod
    def exported(self, context: Context) -> Any:
        """What a file says of the stored value; None to leave it out."""

    @abstractmethod
    def wrong(self, context: Context, value: Value) -> Iterator[Wrong]:
        """What can't be applied of a value: where, below the kind's field, and why."""

    @abstractmethod
    def changes(self, context: Context, value: Value) -> list[Change]:
        """From the stored value to this one."""


class SettingKind(Kind[Value]):
    """A value that a project has one of."""

    @property
    @abstractmethod
    def default(self) -> Value:
        """Of a project without one of its own."""

    @abstractmethod
    def stored(self, context: Context) -> Value: ...

    @abstractmethod
    def checked(self, context: Context, value: Value) -> Value:
        """The value as it is to be stored. Raises InvalidParameter."""

    @abstractmethod
    def write(self, context: Context, value: Value) -> None: ...

    def exported(self, context: Context) -> Any:
        found = self.stored(context)
        return None if found == self.default else _plain(found)

    def wrong(self, context: Context, value: Value) -> Iterator[Wrong]:
        try:
            self.checked(context, value)
        except ErrataError as error:
            yield _wrong(error, value)

    def changes(self, context: Context, value: Value) -> list[Change]:
        before = self.stored(context) if context.is_stored else self.default
        after = self.checked(context, value)
        if before == after:
            return []
        said = differences({self.noun: _plain(before)}, {self.noun: _plain(after)})
        write = partial(self.write, context, after)
        return [Change(Sign.CHANGE, f"{context.slug}: {said[0]}", write)]


class ListKind(Kind[list[Value]]):
    """Things with names; the name says which of the stored ones is meant. `most`: that a file may hold."""

    most: ClassVar[int] = 1000

    @abstractmethod
    def name(self, entry: Value) -> str: ...

    @abstractmethod
    def stored(self, context: Context) -> list[Value]:
        """In any order."""

    @abstractmethod
    def checked(self, context: Context, entry: Value) -> Value:
        """The entry as it is to be stored. Raises InvalidParameter."""

    @abstractmethod
    def create(self, context: Context, entry: Value) -> None: ...

    @abstractmethod
    def change(self, context: Context, entry: Value) -> None: ...

    @abstractmethod
    def delete(self, context: Context, name: str) -> None: ...

    def by_name(self, context: Context) -> dict[str, Value]:
        """The stored things, sorted. Raises NameNotUnique."""
        found = dict[str, Value]()
        for entry in self.stored(context) if context.is_stored else ():
            name = self.name(entry)
            if name in found:
                raise NameNotUnique(self.noun, name, context.where)
            found[name] = entry
        return dict(sorted(found.items()))

    def known(self, context: Context) -> set[str]:
        """The names that there are once the file is applied."""
        given: Sequence[Value] | None = context.value(self.field)
        named = {self.name(entry) for entry in given or ()}
        is_whole = given is not None and context.is_pruning
        return named if is_whole else named | set(self.by_name(context))

    def exported(self, context: Context) -> Any:
        return [_plain(entry) for entry in self.by_name(context).values()] or None

    def wrong(self, context: Context, value: list[Value]) -> Iterator[Wrong]:
        seen = set[str]()
        for number, entry in enumerate(value):
            if (name := self.name(entry).strip()) in seen:
                yield (number,), f"{self.noun} {name!r} is in the file twice"
            seen.add(name)
            if number == self.most:
                yield (number,), f"a project has at most {self.most} of the kind {self.noun}"
            try:
                self.checked(context, entry)
            except ErrataError as error:
                at, reason = _wrong(error, entry)
                yield (number, *at), reason

    def changes(self, context: Context, value: list[Value]) -> list[Change]:
        before = self.by_name(context)
        wanted = {self.name(entry): entry for entry in (self.checked(context, each) for each in value)}
        return [
            *self._creations(context, [each for name, each in wanted.items() if name not in before]),
            *self._changes(
                context, [(before[name], each) for name, each in wanted.items() if name in before]
            ),
            *self._deletions(context, [name for name in before if name not in wanted]),
        ]

    def differences(self, context: Context, before: Value, after: Value) -> list[str]:
        return differences(_whole(before), _whole(after))

    def _creations(self, context: Context, entries: Sequence[Value]) -> Iterator[Change]:
        for entry in entries:
            run = partial(self.create, context, entry)
            yield Change(Sign.CREATE, self._words(context, self.name(entry)), run)

    def _changes(self, context: Context, pairs: Sequence[tuple[Value, Value]]) -> Iterator[Change]:
        for before, after in pairs:
            if said := self.differences(context, before, after):
                words = f"{self._words(context, self.name(after))}: {'; '.join(said)}"
                yield Change(Sign.CHANGE, words, partial(self.change, context, after))

    def _deletions(self, context: Context, names: Sequence[str]) -> Iterator[Change]:
        sign = Sign.DELETE if context.is_pruning else Sign.LEFT
        for name in names:
            yield Change(sign, self._words(context, name), partial(self.delete, context, name))

    def _words(self, context: Context, name: str) -> str:
        return f'{self.noun} "{name}"' + (f" of {context.slug}" if context.slug else "")


def _plain(value: Any) -> Any:
    """As a file has it, without what is as it would be anyway."""
    return value.model_dump(mode="json", exclude_defaults=True) if isinstance(value, BaseModel) else value


def _whole(value: Any) -> dict[str, Any]:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else {"value": value}


def _wrong(error: ErrataError, value: Any) -> Wrong:
    """Where in the value the error is, as far as it says so."""
    if not isinstance(error, InvalidParameter):
        return (), str(error)
    at: list[str | int] = list[str | int]()
    inner = value
    for word in error.parameter.split("."):
        inner = _whole(inner) if isinstance(inner, BaseModel) else inner
        if not isinstance(inner, dict) or word not in inner:
            break
        at.append(word)
        inner = inner[word]
    named = ".".join(map(str, at))
    rest = error.parameter.removeprefix(named).removeprefix(".")
    # The name of the whole value, which the file has under its field.
    is_told = not rest or (not at and "." not in rest)
    return tuple(at), error.problem if is_told else f"{rest}: {error.problem}"

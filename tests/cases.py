"""One test over many cases: all of them run, and each that fails is named."""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

ParameterSet = type(pytest.param())
Test = Callable[..., None]


def each(names: str | Sequence[str], cases: Iterable[Any], ids: object = None) -> Callable[[Test], Test]:
    """Runs a test with each of the cases, as `pytest.mark.parametrize` does, and counts as one.

    For tests whose fixtures hold no state: all cases share them. `ids`: texts, or a function of a value, that
    name a case where it fails.
    """
    told = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    given = [_values(case, len(told)) for case in cases]
    if not given:
        raise ValueError("a test needs a case")

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            failures = list[Exception]()
            for number, values in enumerate(given):
                try:
                    test(**dict(zip(told, values, strict=True)), **fixtures)
                except Exception as error:  # noqa: BLE001 (all are told at the end)
                    error.add_note(f"case {number}: {_named(ids, number, values)}")
                    failures.append(error)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(given)} cases", failures)

        signature = inspect.signature(test)
        left = [one for name, one in signature.parameters.items() if name not in told]
        if len(left) + len(told) != len(signature.parameters):
            raise ValueError(f"{test.__name__} has other arguments than {told}")
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorate


def _values(case: Any, count: int) -> tuple[Any, ...]:
    if isinstance(case, ParameterSet):
        if case.marks:
            raise ValueError("cases of one test have no marks of their own")
        case = case.values[0] if count == 1 else case.values
    values = (case,) if count == 1 else tuple(case)
    if len(values) != count:
        raise ValueError(f"{count} values, not {values!r}")
    return values


def _named(ids: object, number: int, values: tuple[Any, ...]) -> str:
    if callable(ids):
        return ", ".join(str(ids(value)) for value in values)
    return str(ids[number]) if isinstance(ids, Sequence) else repr(values)[:500]

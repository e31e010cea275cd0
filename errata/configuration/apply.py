"""Brings the account store to what a file says: each project in one transaction."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from errata.configuration.change import Change, Sign
from errata.configuration.context import Context, ProjectGiven
from errata.configuration.errors import ApplyFailed
from errata.configuration.kind import Kind
from errata.configuration.plan import head_change
from errata.configuration.registry import OF_ORGANIZATION, OF_PROJECT
from errata.errors import ErrataError

FIRST = frozenset({Sign.CREATE, Sign.CHANGE})
ALL = FIRST | {Sign.DELETE}


def applied(context: Context) -> Iterator[Change]:
    """Each change once it is stored. People and channels are created before projects, and deleted after them:
    a rule names a channel for as long as there is one. Raises ApplyFailed."""
    done = list[str]()
    what = context.organization.name
    try:
        for kind in OF_ORGANIZATION:
            yield from _run(_of_kind(context, kind), FIRST - {Sign.CHANGE} if kind.changes_last else FIRST)
        done.append(what)
        for project in context.given.projects or ():
            what = f"project {project.slug}"
            yield from _project(context, project)
            done.append(what)
        what = context.organization.name
        for kind in OF_ORGANIZATION:
            yield from _run(_of_kind(context, kind), ALL)
    except ErrataError as error:
        raise ApplyFailed(what, error, done) from error


def _project(context: Context, project: ProjectGiven) -> Sequence[Change]:
    """All of it or nothing: what a project is comes from the store as this transaction sees it. Keys made by
    one that fails are told to nobody."""
    issued_count = len(context.issued)
    try:
        with context.store.database.one_transaction():
            return _changed(context, project)
    except BaseException:
        del context.issued[issued_count:]
        raise


def _changed(context: Context, project: ProjectGiven) -> list[Change]:
    own = head_change(context, project)
    done = list(_run([own] if own else [], FIRST))
    of_project, ended = context.of(project.slug), list[Change]()
    for kind in OF_PROJECT:
        changes = _of_kind(of_project, kind)
        done += _run(changes, FIRST)
        ended += [change for change in changes if change.sign is Sign.DELETE]
    return [*done, *_run(ended[::-1], ALL)]


def _of_kind(context: Context, kind: Kind[Any]) -> list[Change]:
    value = context.value(kind.field)
    return [] if value is None else kind.changes(context, value)


def _run(changes: Sequence[Change], signs: Collection[Sign]) -> Iterator[Change]:
    """Those with one of these signs, each once it is done."""
    for change in changes:
        if change.sign in signs:
            change.run()
            yield change

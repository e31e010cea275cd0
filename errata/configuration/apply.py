"""Brings the account store to what a file says: each project in one transaction."""

from collections.abc import Iterator, Sequence
from typing import Any

from errata.configuration.change import Change, Sign
from errata.configuration.context import Context, ProjectGiven
from errata.configuration.errors import ApplyFailed
from errata.configuration.kind import Kind
from errata.configuration.plan import changes_of, head_change
from errata.configuration.registry import OF_ORGANIZATION, OF_PROJECT
from errata.errors import ErrataError


def applied(context: Context) -> Iterator[Change]:
    """Each change once it is stored. People and channels are created and changed before projects and deleted
    after them: a rule names a channel for as long as there is one. Raises ApplyFailed."""
    done = list[str]()
    try:
        what = context.organization.name
        yield from _run(changes_of(context, OF_ORGANIZATION), deletes=False)
        done.append(what)
        for project in context.given.projects or ():
            what = f"project {project.slug}"
            yield from _project(context, project)
            done.append(what)
        what = context.organization.name
        # People may see projects that were created just now.
        yield from _run(changes_of(context, OF_ORGANIZATION), deletes=True)
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
    done = _run([own], deletes=True) if own else []
    of_project, ended = context.of(project.slug), list[Change]()
    for kind in OF_PROJECT:
        changes = _of_kind(of_project, kind)
        done += _run(changes, deletes=False)
        ended += [change for change in changes if change.sign is Sign.DELETE]
    return done + _run(ended[::-1], deletes=True)


def _of_kind(context: Context, kind: Kind[Any]) -> list[Change]:
    value = context.value(kind.field)
    return [] if value is None else kind.changes(context, value)


def _run(changes: Sequence[Change], *, deletes: bool) -> list[Change]:
    wanted = [
        change
        for change in changes
        if change.sign is not Sign.LEFT and (deletes or change.sign is not Sign.DELETE)
    ]
    for change in wanted:
        change.run()
    return wanted

"""What applying a file would change, and the problems that stop it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from errata.configuration.change import Change, Sign, differences
from errata.configuration.context import Context, ProjectGiven
from errata.configuration.errors import ConfigurationRefused, Problem
from errata.configuration.kind import Kind
from errata.configuration.kinds import keys
from errata.configuration.registry import OF_ORGANIZATION, OF_PROJECT
from errata.configuration.source import Location, Source
from errata.errors import InvalidParameter
from errata.one_line import checked_name, is_one_line
from errata.state.projects import LONGEST_NAME, LONGEST_SLUG, slug_of

LONGEST_PLATFORM = 64


@dataclass(frozen=True)
class Section:
    """What is applied together: a project, or a kind of the organization. `slug` is empty of the latter."""

    title: str
    slug: str
    changes: Sequence[Change]


def require_applicable(context: Context, source: Source) -> None:
    """Raises ConfigurationRefused with every problem."""
    if problems := list(_problems(context, source)):
        raise ConfigurationRefused(source.path, problems)


def planned(context: Context) -> list[Section]:
    """Sections with changes, or with things that the file doesn't name."""
    sections = [
        *(Section(kind.field, "", changes_of(context, [kind])) for kind in OF_ORGANIZATION),
        *(
            Section(project.slug, project.slug, project_changes(context, project))
            for project in context.given.projects or ()
        ),
        Section("projects", "", left_projects(context)),
    ]
    return [section for section in sections if section.changes]


def changes_of(context: Context, kinds: Sequence[Kind[Any]]) -> list[Change]:
    """Deletions last, and of the kinds applied last first."""
    found = list[Change]()
    ended = list[Change]()
    for kind in kinds:
        value = context.value(kind.field)
        for change in kind.changes(context, value) if value is not None else ():
            is_end = change.sign in (Sign.DELETE, Sign.LEFT)
            (ended if is_end else found).append(change)
    return found + ended[::-1]


def project_changes(context: Context, project: ProjectGiven) -> list[Change]:
    own = head_change(context, project)
    return [*([own] if own else []), *changes_of(context.of(project.slug), OF_PROJECT)]


def head_change(context: Context, project: ProjectGiven) -> Change | None:
    """The project itself: created, renamed, or as it is."""
    name, platform = project.name.strip(), project.platform
    projects = context.store.projects
    stored = {each.slug: each for each in projects.of_organization(context.organization_id)}
    before = stored.get(project.slug)
    if before is None:
        return Change(Sign.CREATE, f"project {project.slug}", lambda: _create(context, project))
    said = differences(
        {"name": before.name, "platform": before.platform}, {"name": name, "platform": platform}
    )
    if not said:
        return None

    def change() -> None:
        projects.change(context.organization_id, project.slug, name, platform, actor=context.actor)

    return Change(Sign.CHANGE, f"project {project.slug}: {'; '.join(said)}", change)


def left_projects(context: Context) -> list[Change]:
    """Never deleted by a file: their events would be erased, too."""
    if context.given.projects is None:
        return []
    left = context.slugs - {project.slug for project in context.given.projects}
    return [Change(Sign.LEFT, f"project {slug}", lambda: None) for slug in sorted(left)]


def _create(context: Context, project: ProjectGiven) -> None:
    created = context.store.projects.create(
        context.organization_id, project.name, project.platform, project.slug, actor=context.actor
    )
    for kind, issued in ((keys.APPLICATION, created.app_key), (keys.PUBLIC, created.public_key)):
        context.issued.append(kind.issued_words(project.slug, keys.WHOLE_PROJECT, issued.key))


def _problems(context: Context, source: Source) -> Iterator[Problem]:
    yield from _problems_of(context, source, OF_ORGANIZATION, ())
    seen = set[str]()
    for number, project in enumerate(context.given.projects or ()):
        at: Location = ("projects", number)
        if project.slug in seen:
            yield source.problem((*at, "slug"), f"project {project.slug!r} is in the file twice")
        seen.add(project.slug)
        if problems := [source.problem((*at, name), reason) for name, reason in _of_head(project)]:
            yield from problems
            continue
        yield from _problems_of(context.of(project.slug), source, OF_PROJECT, at)


def _problems_of(
    context: Context, source: Source, kinds: Sequence[Kind[Any]], at: Location
) -> Iterator[Problem]:
    for kind in kinds:
        value = context.value(kind.field)
        if value is not None:
            for inner, reason in kind.wrong(context, value):
                yield source.problem((*at, kind.field, *inner), reason)


def _of_head(project: ProjectGiven) -> Iterator[tuple[str, str]]:
    if not project.slug or project.slug != slug_of(project.slug):
        yield "slug", f"1 to {LONGEST_SLUG} lowercase letters, digits and single hyphens"
    try:
        checked_name(project.name, LONGEST_NAME)
    except InvalidParameter as error:
        yield "name", error.problem
    if len(project.platform) > LONGEST_PLATFORM or not is_one_line(project.platform):
        yield "platform", "a word such as python"

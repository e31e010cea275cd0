"""Releases, and the changes that each made."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dashboards.releases.pictures import effects_picture, spread_picture
from dashboards.releases.view import (
    METRICS,
    analysis_words,
    by_page,
    crashes,
    error_word,
    errors,
    figure,
    listed,
    load_word,
    moved,
    p_value,
    probability,
    sentence,
)
from dashboards.shared import periods
from dashboards.shared.addresses import View
from dashboards.shared.chart_json import chart_json
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import CACHE, live_answer, version
from dashboards.shared.performance_nav import table_address
from dashboards.shared.performance_view import performance_view
from dashboards.shared.rendering import Page, render
from dashboards.shared.verdicts import VERDICTS, verdict_word
from errata.clock import EPOCH
from errata.reports import charts
from errata.reports.chart_marks import with_annotations
from errata.reports.chart_template import templates
from errata.reports.release_headline import reasons_sentence
from errata.state.annotations import Annotation
from errata.warehouse.at_once import both
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.grouping import Title, titles_of
from errata.warehouse.queries.performance import releases as questions
from errata.warehouse.queries.performance.data_received import data_received
from errata.warehouse.queries.performance.facets import facets
from errata.warehouse.queries.source_maps.commits import commits_of_release, deploys_of_release
from errata.warehouse.queries.vocabulary import issue_text

router = APIRouter()

Reason = Literal["filtered", "building", "unnamed", "never_sent"]
DEFAULTS = {"period": "90d"}
TABS = {"summary": "Summary", "pages": "Pages and metrics", "changes": "Issues and commits"}
# On a chart more cannot be told apart.
MOST_DRAWN = 20
MOST_ISSUES = 50
MOST_COMMITS = 100


@router.get("/projects/{slug}/performance/releases")
def releases_page(
    slug: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Releases of {project.name}", "performance", project)
    view = performance_view(request, defaults=DEFAULTS)
    chosen = periods.period(view["period"], DEFAULTS["period"])
    span = chosen.at(page.now)
    rows, offered = both(
        lambda: questions.releases(warehouse, project.id, span.since, view["environment"], span.until),
        lambda: facets(warehouse, [project.id], span.since),
    )
    drawn = [row for row in reversed(rows[:MOST_DRAWN]) if row.load_ms_p75 is not None]
    reason = None if rows else _reason(warehouse, project.id)
    annotations = user.annotations(project)
    state = version(rows, reason, annotations)

    def body() -> bytes:
        return render(
            "releases/list.html",
            page,
            view=view,
            environments=offered.environments,
            environment=view["environment"] or (rows[0].environment if rows else ""),
            time_range=periods.shown(span, periods.TREND_CHOICES),
            rows=listed(rows),
            reason=reason,
            verdicts=VERDICTS,
            analysis_words=analysis_words,
            figure=_figure(drawn, page.now, annotations),
            chart_templates=templates(),
            table_address=table_address(slug, "releases", view),
            version=state,
            as_of=questions.as_of_releases(rows) or page.now,
        )

    return live_answer(request, state, body)


@router.get("/projects/{slug}/performance/release")
def release_page(
    slug: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    """`version` is a query parameter, since it may hold any character."""
    project = user.project(slug)
    wanted = request.query_params.get("version", "")
    page = user.framed(request, f"Release {wanted}", "performance", project)
    names = ("version", "page", "metric", "columns", "tab")
    view = performance_view(request, *names, defaults={**DEFAULTS, "tab": "summary"}).restricted("tab", TABS)
    try:
        row = questions.release(warehouse, project.id, wanted, view["environment"])
    except questions.ReleaseNotFound:
        return _uncounted(warehouse, page, project.id, view)
    (effects, deploys), (titles, commits) = both(
        lambda: (
            questions.effects_by_page(warehouse, project.id, row),
            deploys_of_release(warehouse, project.id, row.release),
        ),
        lambda: (
            titles_of(
                warehouse, project.id, [*row.new_issues[:MOST_ISSUES], *row.regressed_issues[:MOST_ISSUES]]
            ),
            # One more tells whether there are others.
            commits_of_release(warehouse, project.id, row.release, MOST_COMMITS + 1),
        ),
    )
    all_effects = [*row.effects.values(), *effects]
    body = render(
        "releases/release.html",
        page,
        view=view,
        release=row,
        tabs=TABS,
        effects_picture=effects_picture(all_effects, view),
        spread=spread_picture(warehouse, project.id, row, all_effects, view),
        chart_templates=templates(),
        together=list(by_page(list(row.effects.values()))),
        pages=list(by_page([one for one in effects if view["page"] in ("", one.page)])),
        new_issues=_named(row.new_issues, titles),
        regressed_issues=_named(row.regressed_issues, titles),
        commits=commits[:MOST_COMMITS],
        has_more_commits=len(commits) > MOST_COMMITS,
        deploys=deploys,
        metrics=METRICS,
        verdicts=VERDICTS,
        headline=reasons_sentence(row),
        word=verdict_word(row),
        sentence=sentence(row),
        load_word=load_word(row),
        errors=errors(row),
        error_word=error_word(row),
        moved=moved(row),
        crashes=crashes(row),
        analysis_words=analysis_words(row.look_hours),
        figure=figure,
        p_value=p_value,
        probability=probability,
    )
    return HTMLResponse(body, headers=CACHE)


def _uncounted(warehouse: Warehouse, page: Page, project_id: int, view: View) -> Response:
    """A release without figures in the environment. Raises ReleaseNotFound if nothing names it there."""
    wanted, environment = view["version"], view["environment"]
    seen = questions.environments_with(warehouse, project_id, wanted)
    if not seen or (environment and environment not in seen):
        raise questions.ReleaseNotFound(wanted)
    if not environment:
        # The busiest one was looked through.
        for name in (name for name, has_loads in seen.items() if name and has_loads):
            listed = questions.releases(warehouse, project_id, EPOCH, name)
            if any(one.release == wanted for one in listed):
                return RedirectResponse(view.address(environment=name), 303)
    has_loads = seen[environment] if environment else any(seen.values())
    body = render("releases/uncounted.html", page, view=view, release=wanted, has_loads=has_loads)
    return HTMLResponse(body, headers=CACHE)


def _figure(
    drawn: Sequence[questions.ReleaseRow], now: datetime, annotations: Sequence[Annotation]
) -> Markup | None:
    if len(drawn) < 2:
        return None
    return chart_json(with_annotations(charts.load_by_release(drawn, now), annotations))


def _reason(warehouse: Warehouse, project_id: int) -> Reason:
    """Why the list is empty."""
    if questions.releases(warehouse, project_id, EPOCH):
        return "filtered"
    received = data_received(warehouse, project_id, None)
    if received.has_releases:
        return "building"
    return "unnamed" if received.loads.is_any else "never_sent"


def _named(issue_ids: Sequence[int], titles: Mapping[int, Title]) -> list[tuple[str, Title]]:
    return [(issue_text(one), titles[one]) for one in issue_ids if one in titles]

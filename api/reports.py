"""Reports as files: of a week, of a release, or of chosen days and filters."""

import re
from dataclasses import replace
from datetime import UTC, datetime

from api.context import Context
from errata.budgets.history import History
from errata.performance.filters import Filters
from errata.reports import formats
from errata.reports.past_report import monday_of, release_report, week_report
from errata.reports.performance_report import PerformanceReport, document_of, performance_report
from errata.reports.printing import pdf_of
from errata.reports.report_file import Form, ReportFile
from errata.state.budgets import Budget
from errata.state.projects import Project

NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


def week_file(
    context: Context, organization_id: int, project: Project, week: str, environment: str, form: Form
) -> ReportFile:
    """Raises InvalidParameter for a week that isn't a past one."""
    monday = monday_of(week, datetime.now(UTC).date())
    budgets = budgets_with_history(context, organization_id, project.slug, project.id)
    report = week_report(context.read, project.id, project.name, monday, environment, budgets)
    return _file(context, organization_id, project, report, week, form)


def release_file(
    context: Context, organization_id: int, project: Project, version: str, environment: str, form: Form
) -> ReportFile:
    """Days of the release with page loads, the last 92 at most. Raises ReleaseNotFound."""
    report = release_report(context.read, project.id, project.name, version, environment)
    return _file(context, organization_id, project, report, NOT_IN_NAMES.sub("-", version), form)


def filtered_file(
    context: Context, organization_id: int, project: Project, filters: Filters, form: Form
) -> ReportFile:
    budgets = budgets_with_history(context, organization_id, project.slug, project.id)
    report = performance_report(context.read, project.name, filters, budgets)
    return _file(context, organization_id, project, report, formats.iso_day(report.days[1]), form)


def budgets_with_history(
    context: Context, organization_id: int, slug: str, project_id: int
) -> list[tuple[Budget, History]]:
    budgets = context.state.budgets.of_project(organization_id, slug)
    histories = context.histories.all(context.read, project_id, [each.limit for each in budgets])
    return list(zip(budgets, histories, strict=True))


def _file(
    context: Context,
    organization_id: int,
    project: Project,
    report: PerformanceReport,
    name: str,
    form: Form,
) -> ReportFile:
    annotations = context.state.annotations.all_of_project(organization_id, project.slug)
    document = document_of(replace(report, annotations=annotations))
    content = pdf_of(document) if form == "pdf" else document.encode()
    return ReportFile(content, f"{project.slug}-performance-{name}", form)

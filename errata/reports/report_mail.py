"""The mail that brings a weekly report: a few words, and the report as an attachment."""

from collections.abc import Sequence
from email.message import EmailMessage

from errata.alerts.mail import headed
from errata.reports import formats
from errata.reports.performance_report import PerformanceReport, document_of
from errata.reports.printing import PrinterMissing, pdf_of
from errata.reports.release_headline import per, times
from errata.reports.unended import least
from errata.warehouse.queries.delivery.ledger import HostRow

BREACHED = "breached"


def report_mail(
    report: PerformanceReport,
    sender: str,
    recipients: Sequence[str],
    message_id: str,
    address: str,
    name: str,
    silent: Sequence[HostRow] = (),
) -> EmailMessage:
    """`name` is of the file, without its ending; `silent`: hosts that are, now. Raises NotPrinted; without a
    printer it is HTML."""
    message = headed(sender, recipients, message_id, report.title)
    message.set_content(_words(report, address, silent))
    document = document_of(report)
    try:
        printed = pdf_of(document)
    except PrinterMissing:
        message.add_attachment(document.encode(), "text", "html", filename=f"{name}.html")
    else:
        message.add_attachment(printed, "application", "pdf", filename=f"{name}.pdf")
    return message


def _words(report: PerformanceReport, address: str, silent: Sequence[HostRow]) -> str:
    lines = [
        f"{report.title}, {formats.day(report.days[0])} to {formats.day(report.days[1])}, from real users.",
        "",
    ]
    if report.together is None:
        lines.append("No page loads in this period.")
    else:
        load = least(formats.duration(report.together["load_ms"].p75), report.together.unended, "p75")
        lines += [
            f"Page loads: {formats.count(report.together.view_count)}",
            f"Load time p75: {load} ({formats.change(report.together.change_ratio)})",
        ]
    breached = [budget.name for budget, history in report.budgets if history.standing == BREACHED]
    if breached:
        lines.append(f"Budgets breached: {', '.join(breached)}")
    worse = [row.release for row in report.releases if row.verdict == "worse"]
    if worse:
        lines.append(f"Releases that made pages slower: {', '.join(worse)}")
    failing = [
        f"{row.release} ({per(rates)} {times(rates)})"
        for row in report.releases
        if (rates := row.error_rates) and rates.verdict == "worse"
    ]
    if failing:
        lines.append(f"Releases with more errors: {', '.join(failing)}")
    for row in silent:
        lines.append(f"Silent host: {row.host}, nothing since {formats.minute(row.last_received_at)}")
    lines += ["", "The report is attached.", "", "-- ", f"Sent by Errata: {address}"]
    return "\n".join(lines)

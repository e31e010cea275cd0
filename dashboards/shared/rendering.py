"""Templates as bytes: autoescaped, with our formats as filters."""

import hashlib
import logging
import re
from collections.abc import Iterator
from contextvars import copy_context
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from dashboards.shared import metrics
from dashboards.shared.find_kinds import FIND_KINDS
from dashboards.shared.help_topics import help_link
from dashboards.shared.markdown import markdown
from dashboards.shared.performance_nav import performance_address, performance_nav, report_address
from dashboards.shared.saved_views import ViewLink
from dashboards.shared.tag_terms import tag_address
from errata.downloads.files import downloads
from errata.errors import ErrataError
from errata.places import SECTIONS
from errata.reports import formats
from errata.reports.unended import least, unended_words
from errata.routes import template
from errata.state.projects import Project
from errata.state.users import Role
from errata.warehouse.published import ages_read
from errata.workflow.wording import ending

DASHBOARDS = Path(__file__).parents[1]
STATIC = DASHBOARDS / "static"
THEMES = ("auto", "light", "dark")
# Controls that HTML forbids or a terminal would obey, shown as the pictures Unicode has for them.
CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


# Text from outside is escaped, so that none can look so.
PIECE = Markup("<!-- piece -->")
# The tables below it are known once they are rendered.
EXPORT_MENU = Markup("<!-- exports -->")
log = logging.getLogger("dashboards")


@dataclass(frozen=True)
class SignedIn:
    """`sees_all`: all projects of the organization."""

    email: str
    organization: str
    role: Role
    sees_all: bool = True

    @property
    def can_work(self) -> bool:
        """Whether forms that change something are of use."""
        return self.role is not Role.VIEWER

    @property
    def is_owner(self) -> bool:
        return self.role is Role.OWNER


@dataclass(frozen=True)
class Page:
    """The values of the frame that every page has."""

    title: str
    now: datetime
    section: str = ""
    theme: str = "auto"
    user: SignedIn | None = None
    csrf_token: str = ""
    unread_count: int = 0
    """Of notifications."""
    project: Project | None = None
    projects: list[Project] = field(default_factory=list)
    request_id: str = ""
    address: str = ""
    """Path and query, by which `computed` of shared/provenance.html finds the page again."""
    saved_views: list[ViewLink] = field(default_factory=list)
    """On performance pages; `can_save_view`: whether this one can be saved."""
    can_save_view: bool = False
    exports: list[dict[str, object]] = field(default_factory=list)
    """Filled by `table_tools` of shared/provenance.html, shown by shared/exports.html."""


@cache
def environment() -> Environment:
    jinja = Environment(
        loader=FileSystemLoader(DASHBOARDS),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    jinja.filters.update(
        count=formats.count,
        compact=formats.compact,
        size=formats.size,
        duration=formats.duration,
        score=formats.score,
        ratio=formats.ratio,
        change=formats.change,
        relative=formats.relative,
        exact=formats.exact,
        minute=formats.minute,
        iso=formats.iso,
        clock=formats.clock,
        day=formats.day,
        short_day=formats.short_day,
        short_minute=formats.short_minute,
        iso_day=formats.iso_day,
        plural=formats.plural,
        least=least,
        markdown=markdown,
        ending=ending,
        route=template,
        path_segment=lambda value: quote(str(value), safe=""),
    )
    jinja.filters["figure"] = lambda value, metric: metrics.figure(metric, value)
    jinja.globals.update(
        ages_read=ages_read,
        downloads=downloads,
        export_menu=EXPORT_MENU,
        static=static_address,
        rating=metrics.rating,
        around=metrics.around,
        unended_words=unended_words,
        rating_words=metrics.RATING_WORDS,
        tag_address=tag_address,
        zone_words=zone_words,
        project_sections=SECTIONS,
        find_kinds=FIND_KINDS,
        help=help_link,
        performance_nav=performance_nav,
        performance_address=performance_address,
        report_address=report_address,
    )
    return jinja


def render(template: str, page: Page, **values: object) -> bytes:
    html = environment().get_template(template).render(page=page, now=page.now, **values)
    return _sent(html, page)


def render_in_pieces(template: str, page: Page, **values: object) -> Iterator[bytes]:
    """The page in the pieces between its `{{ piece }}`, each as soon as its values are known. The piece whose
    values could not be had says so, and ends the page. Everything runs in the caller's context."""
    context = copy_context()
    parts = environment().get_template(template).generate(page=page, now=page.now, **values, piece=PIECE)
    while True:
        try:
            html = context.run(_up_to_piece, parts)
        except ErrataError as error:
            log.error("Part of %s failed with %s: %s", template, error.code, error)
            html, is_last = environment().get_template("shared/part_failed.html").render(error=error), True
        else:
            is_last = not html.endswith(PIECE)
        yield _sent(html.removesuffix(PIECE), page)
        if is_last:
            return


def _sent(html: str, page: Page) -> bytes:
    if EXPORT_MENU in html:
        menu = environment().get_template("shared/exports.html").render(exports=page.exports)
        html = html.replace(EXPORT_MENU, menu)
    return CONTROLS.sub(_picture, html).encode()


def _up_to_piece(parts: Iterator[str]) -> str:
    taken = []
    for part in parts:
        taken.append(part)
        if part == PIECE:
            break
    return "".join(taken)


@lru_cache(maxsize=64)
def static_address(name: str) -> str:
    """The address with the file's hash, so that browsers may keep the file forever."""
    digest = hashlib.blake2b((STATIC / name).read_bytes(), digest_size=6).hexdigest()
    return f"/static/{name}?v={digest}"


def zone_words() -> str:
    """The zone of the page: UTC, Europe/Berlin."""
    return str(formats.zone())


def utc_now() -> datetime:
    return datetime.now(UTC)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "�"

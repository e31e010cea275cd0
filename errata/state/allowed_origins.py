"""Web origins whose pages may send to a project with its public keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from errata_wire.origin import ORIGIN
from sqlalchemy.orm import Mapped

from errata.errors import InvalidParameter
from errata.state.activity_actions import Action
from errata.state.project_setting import ProjectSetting, SettingRow

EVERY_ORIGIN = ("*",)
MOST_ORIGINS = 100
LONGEST_ORIGIN = 300


class OriginsRow(SettingRow):
    """Of projects that don't take events from pages of every origin; one origin a line."""

    __tablename__ = "allowed_origins"

    origins: Mapped[str]


@dataclass(frozen=True)
class StoredOrigins:
    """`changed_at` None: pages of every origin may send."""

    origins: tuple[str, ...] = EVERY_ORIGIN
    changed_at: datetime | None = None
    changed_by: str = ""


class AllowedOrigins(ProjectSetting[OriginsRow]):
    table, column = OriginsRow, "origins"
    action = Action.ALLOWED_ORIGINS_CHANGED

    def get(self, organization_id: int, slug: str) -> StoredOrigins:
        row = self._read(organization_id, slug)
        return StoredOrigins() if row is None else _stored(row)

    def replace(
        self, organization_id: int, slug: str, origins: Sequence[str], *, actor: str
    ) -> StoredOrigins:
        """No origins, or `*` among them: those of every page. Raises InvalidParameter."""
        checked = checked_origins(origins)
        text = "" if checked == EVERY_ORIGIN else "\n".join(checked)
        said = f"{slug}: {', '.join(text.splitlines()) or 'every origin'}"
        row = self._write(organization_id, slug, text, actor=actor, subject=said)
        return StoredOrigins() if row is None else _stored(row)


def checked_origins(origins: Sequence[str]) -> tuple[str, ...]:
    """As they are stored; those of every page where there is none, or `*`. Raises InvalidParameter."""
    checked = tuple(dict.fromkeys(_checked(origin) for origin in origins))
    if len(checked) > MOST_ORIGINS:
        raise InvalidParameter("origins", f"at most {MOST_ORIGINS} origins")
    return checked if checked and "*" not in checked else EVERY_ORIGIN


def origins_of(text: str) -> tuple[str, ...]:
    """Of the text that is read with a key."""
    return tuple(text.splitlines()) or EVERY_ORIGIN


def _stored(row: OriginsRow) -> StoredOrigins:
    return StoredOrigins(origins_of(row.origins), row.changed_at, row.changed_by)


def _checked(origin: str) -> str:
    origin = origin.strip().rstrip("/")
    if not ORIGIN.fullmatch(origin) or len(origin) > LONGEST_ORIGIN:
        raise InvalidParameter("origins", "origins such as https://shop.example.com or https://*.example.com")
    return origin

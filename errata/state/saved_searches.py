"""Saved searches of issues and saved views of performance, for oneself or shared with the organization."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, func, insert, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import String

from errata.errors import InvalidParameter
from errata.one_line import checked_name
from errata.state.errors import SavedSearchExists, SavedSearchNotFound
from errata.state.repository import Repository
from errata.state.table import Table, objects
from errata.state.users import User

LONGEST_NAME = 100
# Of each kind of page.
MOST_A_PROJECT = 200


class PageKind(StrEnum):
    ISSUES = "issues"
    PERFORMANCE = "performance"


class SavedSearch(Table):
    """Of the issue list, a search and its sort; of performance, `query` is a view
    (errata.performance.saved_view) and `sort` is empty. `owner` is the e-mail address of the user who saved
    it. A personal one belongs to its user; a shared one is visible to all, and changed by its creator or an
    owner of the organization."""

    __tablename__ = "saved_searches"

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    page: Mapped[PageKind] = mapped_column(default=PageKind.ISSUES, server_default="issues")
    name: Mapped[str] = mapped_column(String(100))
    query: Mapped[str] = mapped_column(String(2000))
    sort: Mapped[str] = mapped_column(String(32))
    is_shared: Mapped[bool]
    created_at: Mapped[datetime]
    owner: str = ""


class SavedSearches(Repository):
    def of_project(
        self,
        organization_id: int,
        slug: str,
        user_id: int | None,
        page: PageKind = PageKind.ISSUES,
    ) -> list[SavedSearch]:
        """The shared ones and the user's own, by name; without a user the shared ones."""
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            seen = _seen(project_id, user_id).where(SavedSearch.page == page)
            return objects(SavedSearch, connection.execute(seen.order_by(func.lower(SavedSearch.name))))

    def save(
        self,
        organization_id: int,
        slug: str,
        user_id: int,
        *,
        name: str,
        query: str,
        sort: str,
        is_shared: bool,
        page: PageKind = PageKind.ISSUES,
    ) -> SavedSearch:
        """Saves a search, replacing the user's own one of the same page, name and audience."""
        name = checked_name(name, LONGEST_NAME)
        with self._database.writing_alone() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            connection.execute(delete(SavedSearch).where(*_same(project_id, user_id, page, name, is_shared)))
            counted = select(func.count()).where(
                SavedSearch.project_id == project_id, SavedSearch.page == page
            )
            if connection.execute(counted).scalar_one() >= MOST_A_PROJECT:
                raise InvalidParameter("name", f"a project has at most {MOST_A_PROJECT} saved searches")
            added = connection.execute(
                insert(SavedSearch)
                .values(
                    project_id=project_id,
                    user_id=user_id,
                    page=page,
                    name=name,
                    query=query,
                    sort=sort,
                    is_shared=is_shared,
                    created_at=self._database.now(),
                )
                .returning(SavedSearch.id)
            )
            return self._one(connection, project_id, user_id, added.scalar_one())

    def change(
        self,
        organization_id: int,
        slug: str,
        user_id: int,
        search_id: int,
        *,
        is_owner: bool,
        page: PageKind,
        name: str | None = None,
        query: str | None = None,
        sort: str | None = None,
        is_shared: bool | None = None,
    ) -> SavedSearch:
        """Changes what is given of the user's own search of this page; an owner of the organization may also
        change shared ones."""
        given = {"query": query, "sort": sort, "is_shared": is_shared}
        given["name"] = None if name is None else checked_name(name, LONGEST_NAME)
        values = {column: value for column, value in given.items() if value is not None}
        with self._database.writing_alone() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            changed = (
                update(SavedSearch)
                .where(*_changeable(project_id, user_id, search_id, is_owner), SavedSearch.page == page)
                .values(values or {"id": search_id})
                .returning(SavedSearch)
            )
            row = connection.execute(changed).one_or_none()
            if row is None:
                raise SavedSearchNotFound(search_id)
            same = _same(project_id, row.user_id, row.page, row.name, row.is_shared)
            if connection.execute(select(func.count()).where(*same)).scalar_one() > 1:
                raise SavedSearchExists(row.name)
            return self._one(connection, project_id, user_id, search_id)

    def delete(
        self, organization_id: int, slug: str, user_id: int, search_id: int, *, is_owner: bool
    ) -> None:
        """Deletes the user's own search; an owner of the organization may also delete shared ones."""
        with self._database.writing_alone() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            deleted = connection.execute(
                delete(SavedSearch).where(*_changeable(project_id, user_id, search_id, is_owner))
            )
            if not deleted.rowcount:
                raise SavedSearchNotFound(search_id)

    @staticmethod
    def _one(connection: Connection, project_id: int, user_id: int, search_id: int) -> SavedSearch:
        wanted = _seen(project_id, user_id).where(SavedSearch.id == search_id)
        [found] = objects(SavedSearch, connection.execute(wanted))
        return found


def _same(
    project_id: int, user_id: int, page: str, name: str, is_shared: bool
) -> tuple[ColumnElement[bool], ...]:
    return (
        SavedSearch.project_id == project_id,
        SavedSearch.user_id == user_id,
        SavedSearch.page == page,
        SavedSearch.name == name,
        SavedSearch.is_shared == is_shared,
    )


def _changeable(
    project_id: int, user_id: int, search_id: int, is_owner: bool
) -> tuple[ColumnElement[bool], ...]:
    own = SavedSearch.user_id == user_id
    return (
        SavedSearch.id == search_id,
        SavedSearch.project_id == project_id,
        or_(own, SavedSearch.is_shared) if is_owner else own,
    )


def _seen(project_id: int, user_id: int | None) -> Select[Any]:
    shared = SavedSearch.is_shared
    return (
        select(SavedSearch, User.email.label("owner"))
        .join(User, User.id == SavedSearch.user_id)
        .where(
            SavedSearch.project_id == project_id,
            shared if user_id is None else or_(shared, SavedSearch.user_id == user_id),
        )
    )

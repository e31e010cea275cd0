"""Saved searches of issues: personal ones, and ones shared with the organization."""

from dataclasses import dataclass

from sqlalchemy import Row, Select, delete, func, insert, or_, select

from errata.errors import InvalidParameter
from errata.state.errors import SavedSearchNotFound
from errata.state.repository import Repository
from errata.state.tables import saved_searches, users

LONGEST_NAME = 100
MOST_A_PROJECT = 200


@dataclass(frozen=True)
class SavedSearch:
    """`owner` is the e-mail address of the user who saved it."""

    id: int
    name: str
    query: str
    sort: str
    is_shared: bool
    owner: str


class SavedSearches(Repository):
    def of_project(self, organization_id: int, slug: str, user_id: int | None) -> list[SavedSearch]:
        """The shared ones and the user's own, by name; without a user the shared ones."""
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            rows = connection.execute(_seen(project_id, user_id).order_by(func.lower(saved_searches.c.name)))
            return [_saved(row) for row in rows]

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
    ) -> SavedSearch:
        """Saves a search, replacing the user's own one of the same name and audience."""
        name = name.strip()
        if not 0 < len(name) <= LONGEST_NAME:
            raise InvalidParameter("name", f"1 to {LONGEST_NAME} characters")
        own = (saved_searches.c.user_id == user_id, saved_searches.c.is_shared == is_shared)
        with self._database.writing_alone() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            same = delete(saved_searches).where(
                saved_searches.c.project_id == project_id, saved_searches.c.name == name, *own
            )
            connection.execute(same)
            counted = select(func.count()).where(saved_searches.c.project_id == project_id)
            if connection.execute(counted).scalar_one() >= MOST_A_PROJECT:
                raise InvalidParameter("name", f"a project has at most {MOST_A_PROJECT} saved searches")
            added = connection.execute(
                insert(saved_searches)
                .values(
                    project_id=project_id,
                    user_id=user_id,
                    name=name,
                    query=query,
                    sort=sort,
                    is_shared=is_shared,
                    created_at=self._database.now(),
                )
                .returning(saved_searches.c.id)
            )
            wanted = _seen(project_id, user_id).where(saved_searches.c.id == added.scalar_one())
            return _saved(connection.execute(wanted).one())

    def delete(
        self, organization_id: int, slug: str, user_id: int, search_id: int, *, is_owner: bool
    ) -> None:
        """Deletes the user's own search; an owner of the organization may also delete shared ones."""
        allowed = saved_searches.c.user_id == user_id
        with self._database.writing_alone() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            deleted = connection.execute(
                delete(saved_searches).where(
                    saved_searches.c.id == search_id,
                    saved_searches.c.project_id == project_id,
                    or_(allowed, saved_searches.c.is_shared) if is_owner else allowed,
                )
            )
            if not deleted.rowcount:
                raise SavedSearchNotFound(search_id)


def _seen(project_id: int, user_id: int | None) -> Select[tuple[int, str, str, str, bool, str]]:
    shared = saved_searches.c.is_shared
    return (
        select(
            saved_searches.c.id,
            saved_searches.c.name,
            saved_searches.c.query,
            saved_searches.c.sort,
            saved_searches.c.is_shared,
            users.c.email.label("owner"),
        )
        .join(users, users.c.id == saved_searches.c.user_id)
        .where(
            saved_searches.c.project_id == project_id,
            shared if user_id is None else or_(shared, saved_searches.c.user_id == user_id),
        )
    )


def _saved(row: Row[tuple[int, str, str, str, bool, str]]) -> SavedSearch:
    return SavedSearch(**row._mapping)

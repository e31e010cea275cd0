"""Two-factor authentication: what people set up for themselves, and what owners decide about it."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select, update

from errata.state.activity_actions import Action
from errata.state.authenticators import Authenticators, Holder, RecoveryCode, Totp
from errata.state.database import Database
from errata.state.errors import MemberElsewhere, MemberNotFound, TwoStepsOff, TwoStepsOn
from errata.state.half_sign_ins import end_half_sign_ins
from errata.state.organization import Organization
from errata.state.repository import Repository
from errata.state.sealed_secrets import SealedSecrets
from errata.state.sessions import Sessions, WebSession
from errata.state.table import objects
from errata.state.totp import generate_secret, normalized_code
from errata.state.users import Users, organizations_of

PURPOSE = "totp"


@dataclass(frozen=True)
class TwoStepState:
    """`turned_on_at` is None while it is off; `is_required`: the organization asks for it."""

    turned_on_at: datetime | None
    recovery_code_count: int
    is_required: bool


class TwoSteps(Repository):
    def __init__(
        self,
        database: Database,
        secret: bytes,
        users: Users,
        sessions: Sessions,
        authenticators: Authenticators,
        secrets: SealedSecrets,
    ) -> None:
        super().__init__(database, secret)
        self._users = users
        self._sessions = sessions
        self._authenticators = authenticators
        self._secrets = secrets

    def of_user(self, session: WebSession) -> TwoStepState:
        with self._database.reading() as connection:
            row = _kept(connection, session.user_id)
            is_required = connection.execute(
                select(Organization.requires_two_steps).where(Organization.id == session.organization_id)
            ).scalar_one()
        count = self._authenticators.recovery_codes_left(session.user_id)
        return TwoStepState(row.turned_on_at if row else None, count, is_required)

    def begin(self, session: WebSession) -> str:
        """A new secret, to be confirmed by a code of it. Raises TwoStepsOn."""
        text = generate_secret()
        with self._database.writing_alone() as connection:
            former = _kept(connection, session.user_id)
            if former is not None and former.turned_on_at is not None:
                raise TwoStepsOn
            self._drop(connection, session.user_id)
            secret_id = self._secrets.keep(connection, session.organization_id, PURPOSE, text)
            connection.execute(
                insert(Totp).values(
                    user_id=session.user_id,
                    organization_id=session.organization_id,
                    secret_id=secret_id,
                    created_at=self._database.now(),
                )
            )
            self._log(connection, session, Action.USER_TWO_STEPS_BEGUN)
        return text

    def secret_being_set_up(self, session: WebSession) -> str | None:
        with self._database.reading() as connection:
            row = _kept(connection, session.user_id)
        if row is None or row.turned_on_at is not None:
            return None
        return self._secrets.open(row.organization_id, row.secret_id).get_secret_value()

    def turn_on(self, session: WebSession, code: str) -> list[str]:
        """The recovery codes, shown once. Ends the user's other sessions, which had one step. Raises
        InvalidCode, and TwoStepsOff if no secret is being set up."""
        with self._database.writing_alone() as connection:
            row = _kept(connection, session.user_id)
            if row is None:
                raise TwoStepsOff
            if row.turned_on_at is not None:
                raise TwoStepsOn
            self._authenticators.spend_step(connection, session.user_id, normalized_code(code))
            connection.execute(
                update(Totp).where(Totp.user_id == session.user_id).values(turned_on_at=self._database.now())
            )
            self._sessions.end_others(connection, session.user_id, session.token)
            self._log(connection, session, Action.USER_TWO_STEPS_TURNED_ON)
            return self._authenticators.replace_recovery_codes(connection, session.user_id)

    def replace_recovery_codes(self, session: WebSession, code: str) -> list[str]:
        """Raises TwoStepsOff, InvalidCode and RateLimited."""
        self._require_on(session)
        with self._authenticators.code_given(_holder(session), code) as connection:
            self._log(connection, session, Action.USER_RECOVERY_CODES_REPLACED)
            return self._authenticators.replace_recovery_codes(connection, session.user_id)

    def turn_off(self, session: WebSession, code: str) -> None:
        """Raises TwoStepsOff, InvalidCode and RateLimited."""
        self._require_on(session)
        with self._authenticators.code_given(_holder(session), code) as connection:
            self._drop(connection, session.user_id)
            self._log(connection, session, Action.USER_TWO_STEPS_TURNED_OFF)

    def turn_off_of(
        self, organization_id: int, user_id: int, *, actor: str, is_operator: bool = False
    ) -> None:
        """For someone who lost the authenticator and the recovery codes. Raises MemberNotFound, TwoStepsOff,
        and MemberElsewhere: owners of one organization must not weaken the sign-in to another."""
        people = self._users.of_organization(organization_id)
        email = next((person.email for person in people if person.id == user_id), None)
        if email is None:
            raise MemberNotFound
        if not self._authenticators.is_on(user_id):
            raise TwoStepsOff
        with self._database.writing_alone() as connection:
            if not is_operator and len(organizations_of(connection, user_id)) > 1:
                raise MemberElsewhere(email)
            self._drop(connection, user_id)
            self._record(
                connection, organization_id, Action.USER_TWO_STEPS_TURNED_OFF, actor=actor, subject=email
            )

    def are_required(self, organization_id: int) -> bool:
        query = select(Organization.requires_two_steps).where(Organization.id == organization_id)
        with self._database.reading() as connection:
            return bool(connection.execute(query).scalar_one())

    def require(self, organization_id: int, is_required: bool, *, actor: str) -> None:
        """Holds from the next request of everyone on."""
        action = (
            Action.ORGANIZATION_TWO_STEPS_REQUIRED if is_required else Action.ORGANIZATION_TWO_STEPS_OPTIONAL
        )
        with self._database.writing() as connection:
            changed = connection.execute(
                update(Organization)
                .where(
                    Organization.id == organization_id,
                    Organization.requires_two_steps.is_not(is_required),
                )
                .values(requires_two_steps=is_required)
            ).rowcount
            if changed:
                self._record(connection, organization_id, action, actor=actor)

    def _require_on(self, session: WebSession) -> None:
        if not self._authenticators.is_on(session.user_id):
            raise TwoStepsOff

    def _drop(self, connection: Connection, user_id: int) -> None:
        row = _kept(connection, user_id)
        if row is None:
            return
        connection.execute(delete(Totp).where(Totp.user_id == user_id))
        connection.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user_id))
        end_half_sign_ins(connection, user_id)
        self._secrets.drop(connection, row.organization_id, row.secret_id)

    def _log(self, connection: Connection, session: WebSession, action: Action) -> None:
        self._record(connection, session.organization_id, action, actor=session.email, subject=session.email)


def _kept(connection: Connection, user_id: int) -> Totp | None:
    found = connection.execute(select(Totp).where(Totp.user_id == user_id))
    return next(iter(objects(Totp, found)), None)


def _holder(session: WebSession) -> Holder:
    return Holder(session.user_id, session.email, session.organization_id)

"""Errors of the state store."""

from errata.errors import ErrataError


class StateUnavailable(ErrataError):
    """`said`, `remedy` and `told` name nothing of this machine: anybody may read them. `reason` is for the
    log."""

    code = "state_unavailable"
    retry_after_seconds = 5
    said = "The account store did not respond"
    remedy = "Check that its server is running and accepts its user"

    def __init__(self, reason: str = "") -> None:
        self.reason = reason.strip().partition("\n")[0] or self.said
        detail = f" ({self.reason})" if reason else ""
        super().__init__(f"{self.said}{detail}. {self.remedy}.")

    @property
    def told(self) -> str:
        return f"{self.said}. {self.remedy}."


class StateLocked(StateUnavailable):
    """For longer than writers wait."""

    said = "The account store is locked by another transaction"
    remedy = "Wait, or stop the program that holds the lock"


class StateFull(StateUnavailable):
    said = "The disk of the account store is full"
    remedy = "Free up disk space"


class StateNotWritable(StateUnavailable):
    said = "The account store can't be opened for writing"
    remedy = "Check the permissions of its file or user, and that its disk or server isn't read-only"


class StateDiskFailed(StateUnavailable):
    said = "The disk of the account store can't be read or written"
    remedy = "Check the disk, its free space and its limits"


class StateNotMigrated(StateUnavailable):
    said = "The account store lacks tables of this version"
    remedy = "Run `errata migrate`"


class StateDamaged(StateUnavailable):
    is_final = True
    said = "The account store is damaged"
    remedy = "Stop Errata, and restore a backup (docs/backup.md)"


class StateMissing(StateUnavailable):
    """Writes to an open file without a name would be lost."""

    said = "The account store's file was deleted or replaced"
    remedy = "Stop Errata, put the file back or restore a backup (docs/backup.md), then start Errata"


class StateTooNew(ErrataError):
    code = "state_too_new"
    is_final = True

    def __init__(self, revision: str) -> None:
        super().__init__(
            f"The account store is at revision {revision}, newer than this version of Errata. "
            f"Install the newer version."
        )
        self.revision = revision


class ConfigurationNotFound(ErrataError):
    code = "grouping_configuration_not_found"

    def __init__(self, number: int) -> None:
        super().__init__(f"Grouping configuration {number} not found in this project.")
        self.number = number


class AccountExists(ErrataError):
    code = "account_exists"

    def __init__(self) -> None:
        super().__init__("The first account already exists.")


class ProjectExists(ErrataError):
    code = "project_exists"

    def __init__(self, slug: str) -> None:
        super().__init__(f"A project named {slug} already exists. Choose another name.")
        self.slug = slug


class ProjectNotFound(ErrataError):
    code = "project_not_found"

    def __init__(self, slug: str) -> None:
        super().__init__("Project not found")
        self.slug = slug


class NextKeyExists(ErrataError):
    code = "next_key_exists"

    def __init__(self) -> None:
        super().__init__("A next API key already exists. Promote or discard it first.")


class NextKeyNotFound(ErrataError):
    code = "next_key_not_found"

    def __init__(self) -> None:
        super().__init__("There is no next API key.")


class KeyNotKept(ErrataError):
    code = "key_not_kept"

    def __init__(self) -> None:
        super().__init__(
            "The key was issued by a version that stored only its hash. Rotate it; the next key can be "
            "viewed."
        )


class AppKeyExists(ErrataError):
    code = "app_key_exists"

    def __init__(self, service: str) -> None:
        super().__init__(f"The {service or 'project'} already has an application key.")
        self.service = service


class AppKeyNotFound(ErrataError):
    code = "app_key_not_found"

    def __init__(self, which: str) -> None:
        super().__init__(f"The project has no current application key {which}.")
        self.which = which


class AlertRuleNotFound(ErrataError):
    code = "alert_rule_not_found"

    def __init__(self, rule_id: str) -> None:
        super().__init__("Alert rule not found in this project.")
        self.rule_id = rule_id


class ReportScheduleNotFound(ErrataError):
    code = "report_schedule_not_found"

    def __init__(self, schedule_id: str) -> None:
        super().__init__("Report schedule not found in this project.")
        self.schedule_id = schedule_id


class ReportMailNotFound(ErrataError):
    code = "report_mail_not_found"

    def __init__(self, mail_id: str) -> None:
        super().__init__("No failed or interrupted report mail with this ID.")
        self.mail_id = mail_id


class BudgetNotFound(ErrataError):
    code = "budget_not_found"

    def __init__(self, budget_id: str) -> None:
        super().__init__("Budget not found in this project.")
        self.budget_id = budget_id


class AlertChannelNotFound(ErrataError):
    code = "alert_channel_not_found"

    def __init__(self, channel_id: str) -> None:
        super().__init__("Channel not found in this organization.")
        self.channel_id = channel_id


class MemberNotFound(ErrataError):
    """Unknown, removed, or of another organization."""

    code = "member_not_found"

    def __init__(self) -> None:
        super().__init__("This person isn't in the organization.")


class OrganizationNotFound(ErrataError):
    """Unknown, or not one of the person's own."""

    code = "organization_not_found"

    def __init__(self) -> None:
        super().__init__("You don't belong to this organization.")


class MemberElsewhere(ErrataError):
    """A new password, or no second step, would open the other organization too."""

    code = "member_elsewhere"

    def __init__(self, email: str) -> None:
        super().__init__(
            f"{email} also belongs to another organization, so only they or an administrator can change how "
            f"they sign in."
        )


class LastOwner(ErrataError):
    code = "last_owner"

    def __init__(self, email: str) -> None:
        super().__init__(f"{email} is the only owner. Make someone else an owner first.")
        self.email = email


class UserExists(ErrataError):
    code = "user_exists"

    def __init__(self, email: str) -> None:
        super().__init__(f"{email} is already in the organization.")
        self.email = email


class ProjectTokenNotFound(ErrataError):
    """Unknown, revoked, expired, or of another project."""

    code = "project_token_not_found"

    def __init__(self) -> None:
        super().__init__("This access token doesn't exist, was revoked, or has expired.")


class InvitationNotFound(ErrataError):
    code = "invitation_not_found"

    def __init__(self) -> None:
        super().__init__("No open invitation with this ID; it may have been accepted.")


class OneTimeLinkEnded(ErrataError):
    """Used, revoked, expired, replaced by a newer one, or never made: never said which."""

    code = "one_time_link_ended"

    def __init__(self) -> None:
        super().__init__("This link no longer works. Ask an owner for a new one.")


class PasswordRequired(ErrataError):
    """The user must confirm the password first: POST /api/auth/confirm."""

    code = "password_required"

    def __init__(self) -> None:
        super().__init__("Confirm your password first.")


class InvalidCredentials(ErrataError):
    """Wrong e-mail or wrong password: never said which."""

    code = "invalid_credentials"

    def __init__(self) -> None:
        super().__init__("Wrong email address or password.")


class CodeRequired(ErrataError):
    """The first step of the sign-in is done; `token` is the browser's for the second one."""

    code = "code_required"

    def __init__(self, token: str) -> None:
        super().__init__("Enter a code from your authenticator app, or a recovery code.")
        self.token = token


class InvalidCode(ErrataError):
    """Wrong, used before, or of another time: never said which."""

    code = "invalid_code"

    def __init__(self) -> None:
        super().__init__("This code is wrong or already used. Wait for the next one, then try again.")


class SignInExpired(ErrataError):
    code = "sign_in_expired"

    def __init__(self) -> None:
        super().__init__("The sign-in took too long. Start again.")


class TwoStepsOn(ErrataError):
    code = "two_steps_on"

    def __init__(self) -> None:
        super().__init__("Two-factor authentication is already on. Turn it off first.")


class TwoStepsOff(ErrataError):
    code = "two_steps_off"

    def __init__(self) -> None:
        super().__init__("Two-factor authentication is off.")


class TwoStepsRequired(ErrataError):
    """The organization requires a second step that the person has not set up yet."""

    code = "two_steps_required"

    def __init__(self) -> None:
        super().__init__("Your organization requires two-factor authentication. Set it up first.")


class ProviderSignInEnded(ErrataError):
    """Ended by an earlier return, too old, begun in another browser, or never: never said which."""

    code = "oidc_sign_in_ended"

    def __init__(self) -> None:
        super().__init__("This sign-in has ended, or another tab started a newer one. Start again.")


class NoRole(ErrataError):
    """None of the person's groups at the provider has a role here."""

    code = "oidc_no_role"

    def __init__(self) -> None:
        super().__init__("None of your groups has access to this service.")


class PersonRemoved(ErrataError):
    code = "oidc_person_removed"

    def __init__(self) -> None:
        super().__init__("You were removed from the organization. Ask an owner to invite you.")


class OtherIdentity(ErrataError):
    """The address has an account that someone else at the provider signs in to."""

    code = "oidc_other_identity"

    def __init__(self) -> None:
        super().__init__("The account with your email address is linked to someone else at the provider.")


class WeakPassword(ErrataError):
    code = "weak_password"

    def __init__(self, minimum_length: int, maximum_length: int) -> None:
        super().__init__(f"Use a password of {minimum_length} to {maximum_length} characters.")
        self.minimum_length = minimum_length
        self.maximum_length = maximum_length


class SecretUnreadable(ErrataError):
    """A sealed token cannot be opened: another secret sealed it, or it was changed."""

    code = "secret_unreadable"

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"A stored token can't be read: {reason}. Enter the token again, "
            "or start once with the previous secret in ERRATA_PREVIOUS_SECRET."
        )
        self.reason = reason


class ShareLinkNotFound(ErrataError):
    code = "share_link_not_found"

    def __init__(self) -> None:
        super().__init__("Share link not found in this project.")


class SavedSearchExists(ErrataError):
    code = "saved_search_exists"

    def __init__(self, name: str) -> None:
        super().__init__(f"A saved search named {name} already exists. Choose another name.")
        self.name = name


class SavedSearchNotFound(ErrataError):
    code = "saved_search_not_found"

    def __init__(self, search_id: int) -> None:
        super().__init__(f"Saved search {search_id} not found in this project.")
        self.search_id = search_id


class AnnotationNotFound(ErrataError):
    code = "annotation_not_found"

    def __init__(self) -> None:
        super().__init__("Annotation not found in this project, or written by someone else.")


class IntegrationNotFound(ErrataError):
    code = "integration_not_found"

    def __init__(self) -> None:
        super().__init__("Integration not found in this project.")


class LinkNotFound(ErrataError):
    code = "link_not_found"

    def __init__(self) -> None:
        super().__init__("Link not found on this issue; it may have been removed.")


class IssueLinked(ErrataError):
    code = "issue_linked"

    def __init__(self, key: str) -> None:
        super().__init__(f"The issue is already linked to {key}.")
        self.key = key

"""What the state store can say no with."""

from errata.errors import ErrataError


class StateUnavailable(ErrataError):
    """The database cannot be reached, or is locked for longer than the busy timeout."""

    code = "state_unavailable"
    retry_after_seconds = 5

    def __init__(self, reason: str) -> None:
        super().__init__("The account store is not available at the moment.")
        self.reason = reason


class StateTooNew(ErrataError):
    code = "state_too_new"

    def __init__(self, revision: str) -> None:
        super().__init__(f"This version of Errata does not know revision {revision} of the account store.")
        self.revision = revision


class ConfigurationNotFound(ErrataError):
    code = "grouping_configuration_not_found"

    def __init__(self, number: int) -> None:
        super().__init__(f"The project has no configuration of grouping {number}.")
        self.number = number


class AccountExists(ErrataError):
    code = "account_exists"

    def __init__(self) -> None:
        super().__init__("The first account exists already.")


class ProjectExists(ErrataError):
    code = "project_exists"

    def __init__(self, slug: str) -> None:
        super().__init__(f"There is a project called {slug} already.")
        self.slug = slug


class ProjectNotFound(ErrataError):
    code = "project_not_found"

    def __init__(self, slug: str) -> None:
        super().__init__("Project Not Found")
        self.slug = slug


class AppKeyExists(ErrataError):
    code = "app_key_exists"

    def __init__(self, service: str) -> None:
        super().__init__(f"The project has an application key for {service or 'itself'} already.")
        self.service = service


class AppKeyNotFound(ErrataError):
    code = "app_key_not_found"

    def __init__(self, which: str) -> None:
        super().__init__(f"The project has no current application key {which}.")
        self.which = which


class AlertRuleNotFound(ErrataError):
    code = "alert_rule_not_found"

    def __init__(self, rule_id: str) -> None:
        super().__init__("The project has no such alert rule.")
        self.rule_id = rule_id


class ReportScheduleNotFound(ErrataError):
    code = "report_schedule_not_found"

    def __init__(self, schedule_id: str) -> None:
        super().__init__("The project has no such report schedule.")
        self.schedule_id = schedule_id


class ReportMailNotFound(ErrataError):
    code = "report_mail_not_found"

    def __init__(self, mail_id: str) -> None:
        super().__init__("No such mail waits to be sent again.")
        self.mail_id = mail_id


class BudgetNotFound(ErrataError):
    code = "budget_not_found"

    def __init__(self, budget_id: str) -> None:
        super().__init__("The project has no such budget.")
        self.budget_id = budget_id


class AlertChannelNotFound(ErrataError):
    code = "alert_channel_not_found"

    def __init__(self, channel_id: str) -> None:
        super().__init__("The organization has no such channel.")
        self.channel_id = channel_id


class InvalidCredentials(ErrataError):
    """Wrong e-mail or wrong password: never said which."""

    code = "invalid_credentials"

    def __init__(self) -> None:
        super().__init__("The e-mail address or the password is wrong.")


class WeakPassword(ErrataError):
    code = "weak_password"

    def __init__(self, minimum_length: int, maximum_length: int) -> None:
        super().__init__(f"A password has {minimum_length} to {maximum_length} characters.")
        self.minimum_length = minimum_length
        self.maximum_length = maximum_length


class SecretUnreadable(ErrataError):
    """A sealed token cannot be opened: another secret sealed it, or it was changed."""

    code = "secret_unreadable"

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"A stored token cannot be read: {reason}. Enter the token again, "
            "or start once with the former secret in ERRATA_PREVIOUS_SECRET."
        )
        self.reason = reason


class ShareLinkNotFound(ErrataError):
    code = "share_link_not_found"

    def __init__(self) -> None:
        super().__init__("The project has no such share link.")


class SavedSearchNotFound(ErrataError):
    code = "saved_search_not_found"

    def __init__(self, search_id: int) -> None:
        super().__init__(f"The project has no saved search {search_id} that you see.")
        self.search_id = search_id


class IntegrationNotFound(ErrataError):
    code = "integration_not_found"

    def __init__(self) -> None:
        super().__init__("The project has no such integration.")


class LinkNotFound(ErrataError):
    code = "link_not_found"

    def __init__(self) -> None:
        super().__init__("The issue has no such link, or it was removed.")


class IssueLinked(ErrataError):
    code = "issue_linked"

    def __init__(self, key: str) -> None:
        super().__init__(f"It is linked with {key} already.")
        self.key = key

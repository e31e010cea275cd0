"""Where a project's issues are tracked, and how to get in."""

from dataclasses import dataclass, field

from pydantic import SecretStr


@dataclass(frozen=True)
class Connection:
    """`target` is owner/repository, the path of a project, or the key of a project or team.

    With an `account` (an e-mail address) Jira is Jira Cloud, without one Jira Data Center.
    """

    kind: str
    base_url: str
    target: str
    token: SecretStr = field(repr=False)
    account: str = ""
    issue_type: str = ""

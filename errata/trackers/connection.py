"""Where a project's issues are tracked, and how to get in."""

from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import SecretStr


class Kind(StrEnum):
    GITHUB = "github"
    GITLAB = "gitlab"
    JIRA = "jira"


@dataclass(frozen=True)
class Connection:
    """`target` is owner/repository, the path of a project, or the key of a project.

    With an `account` (an e-mail address) Jira is Jira Cloud, without one Jira Data Center.
    """

    kind: Kind
    base_url: str
    target: str
    token: SecretStr = field(repr=False)
    account: str = ""
    issue_type: str = ""

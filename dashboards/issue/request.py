"""The request for the page of an issue, as far as its tabs and the fragments of its head need it."""

from dataclasses import dataclass
from functools import cached_property

from api.context import Context
from api.subscriptions import Following, following
from dashboards.shared.addresses import View
from dashboards.shared.current_user import CurrentUser
from dashboards.shared.rendering import Page
from errata.period import Period
from errata.state.projects import Project
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.head import IssueHead


@dataclass(frozen=True)
class IssueRequest:
    """`view` holds the parameters of the address, those of its tab included."""

    context: Context
    warehouse: Warehouse
    user: CurrentUser
    page: Page
    project: Project
    view: View
    head: IssueHead
    period: Period

    @cached_property
    def following(self) -> Following:
        """Read once for all fragments."""
        return following(self.context, self.project.id, self.head.issue_id)

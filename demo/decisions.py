"""What the people of the sample shop have set up and decided, all over the REST API as they would."""

from collections.abc import Callable

from demo import story
from demo.folder import DemoError
from demo.progress import Progress
from demo.service import Service

ADDRESS = "oncall@shop.example"


class Decisions:
    """Each step is done once; one that was interrupted is done again from its start."""

    def __init__(self, service: Service, progress: Progress) -> None:
        self.service = service
        self.progress = progress

    @property
    def steps(self) -> dict[str, Callable[[], None]]:
        return {
            "project": self._name_project,
            "budgets": self._promise,
            "alerts": self._ask_for_mail,
            "report": self._schedule_report,
            "search": self._save_search,
            "merge": self._merge,
            "triage": self._triage,
            "share": self._share,
            "resolve": self._resolve,
        }

    def make(self) -> None:
        for name, step in self.steps.items():
            if name not in self.progress.steps:
                step()
                self.progress.done(name)

    def issue(self, fault: story.Fault) -> str:
        found = self.service.issue(fault.title)
        if found is None:
            raise DemoError(f"no issue has “{fault.title}” in its title: the history was not delivered whole")
        return str(found["id"])

    def _name_project(self) -> None:
        self.service.put(self.service.project, {"name": story.PROJECT, "platform": "javascript"})

    def _promise(self) -> None:
        for budget in story.BUDGETS:
            self.service.post(f"{self.service.project}/performance/budgets", budget.body())

    def _ask_for_mail(self) -> None:
        channel = {"kind": "email", "name": "On-call", "settings": {"to": [ADDRESS]}}
        made = self.service.post("/api/alert-channels", channel)["id"]
        for name, kind in (("An issue came back", "regressed"), ("A new issue", "new")):
            rule = {"name": name, "kind": kind, "channels": [made], "query": "environment:production"}
            self.service.post(f"{self.service.project}/alert-rules", rule)

    def _schedule_report(self) -> None:
        schedule = {
            "name": "Week of the shop",
            "weekday": "monday",
            "hour": 8,
            "recipients": ["team@shop.example"],
        }
        self.service.post(f"{self.service.project}/performance/report-schedules", schedule)

    def _save_search(self) -> None:
        search = {"name": "Checkout", "query": "is:unresolved transaction:/checkout*", "is_shared": True}
        self.service.post(f"{self.service.project}/searches", search)

    def _merge(self) -> None:
        into, other = (self.service.issue(fault.title) for fault in story.MERGED)
        if into and other:
            merge = {"ids": [other["id"]], "into": into["id"]}
            self.service.post(f"{self.service.project}/issues/merge", merge)

    def _triage(self) -> None:
        person = self.service.get("/api/members")["members"][0]["email"]
        self._act(story.ASSIGNED, "assign", {"assignee": person})
        self._act(
            story.ASSIGNED, "comment", {"text": "The gateway's answer is not passed on. I'll look into it."}
        )
        self._act(story.IGNORED, "ignore", {"condition": {"kind": "escalating"}})

    def _share(self) -> None:
        made = self.service.post(f"/api/issues/{self.issue(story.SHARED)}/share-links", {"expires": "30d"})
        self.progress.keep("share_link", made["url"])

    def _resolve(self) -> None:
        self._act(story.COMES_BACK, "resolve", {"in": "now"})
        self.progress.keep("came_back", self.issue(story.COMES_BACK))

    def _act(self, fault: story.Fault, action: str, detail: dict[str, object]) -> None:
        body = {"ids": [self.issue(fault)], "action": action, "detail": detail}
        self.service.post(f"{self.service.project}/issues/actions", body)

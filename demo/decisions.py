"""What the people of the sample shop have decided about issues, over the REST API as they would."""

from collections.abc import Callable

from demo import story
from demo.folder import DemoError
from demo.progress import Progress
from demo.service import Service


class Decisions:
    """Each step is done once; one that was interrupted is done again from its start."""

    def __init__(self, service: Service, progress: Progress) -> None:
        self.service = service
        self.progress = progress

    @property
    def steps(self) -> dict[str, Callable[[], None]]:
        return {
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

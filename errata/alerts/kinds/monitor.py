"""A monitor of a scheduled job that fails or misses a run, and recovers."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from errata.alerts.field import Field, require_known
from errata.alerts.rule_kind import URGENT_COLOR, Condition, RuleKind, Subject
from errata.errors import InvalidParameter
from errata.monitors.slug import is_slug
from errata.monitors.turns import Outcome
from errata.warehouse.queries.monitors.monitors import CHECK_INS

FIRES_ON: Mapping[str, str] = {"failing_or_missed": "fails or misses a run", "failing": "fails"}
USUAL = "failing_or_missed"
HEADLINES = {
    Outcome.FAILING.value: "Monitor failing",
    Outcome.MISSED.value: "Monitor missed a run",
    Outcome.RECOVERED.value: "Monitor recovered",
}


class OfMonitor(RuleKind):
    """`monitor_slug` is empty for all monitors of the project."""

    name = "monitor"
    subject = Subject.MONITOR
    title = "A monitor fails"
    plural = "monitor alerts"
    color = URGENT_COLOR
    condition_words = (
        "`monitor_slug` (empty: all monitors), `fires_on` (`failing_or_missed`; `failing`: only after the "
        "monitor's failure threshold)"
    )
    group = "monitor"
    fields: ClassVar[Sequence[Field]] = (
        Field("monitor_slug", "Monitor"),
        Field("fires_on", "Fires when it", choices=tuple(FIRES_ON.items()), default=USUAL),
    )
    recovery = Outcome.RECOVERED.value

    def checked(self, condition: Condition) -> dict[str, Any]:
        require_known(condition, self.fields, "condition", "rules")
        slug, fires_on = condition.get("monitor_slug", ""), condition.get("fires_on", USUAL)
        if not isinstance(slug, str) or (slug and not is_slug(slug)):
            raise InvalidParameter("condition.monitor_slug", "the name of a monitor")
        if not isinstance(fires_on, str) or fires_on not in FIRES_ON:
            raise InvalidParameter("condition.fires_on", f"one of {', '.join(FIRES_ON)}")
        return {"monitor_slug": slug, "fires_on": fires_on}

    def words(self, condition: Condition) -> str:
        about = f"monitor {condition['monitor_slug']}" if condition["monitor_slug"] else "a monitor"
        return f"{about} {FIRES_ON[condition['fires_on']]}, and when it recovers"

    def headline(self, condition: Condition, value: int, outcome: str) -> str:
        return HEADLINES.get(outcome, "Monitor")

    def page(self, subject_id: str) -> str:
        return f"monitors/{subject_id}" if subject_id else "monitors"

    def question(self, condition: Condition) -> str:
        return CHECK_INS


KIND = OfMonitor()

"""What the service says of the demonstration's weeks, beside what was injected into them."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import pytest
import urllib3
from aiosmtpd.controller import Controller

from demo import story
from demo.folder import DemoFolder
from demo.history import History
from demo.mail import Kept
from demo.service import Json, Service
from demo.set_up import SetUp
from demo.telling import verdict
from demo.tour import tour
from errata.stop_signal import StopSignal
from tests.processes import free_port
from tests.service import running

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
WEEKS = 8


@dataclass
class Told:
    """The service with its story in place and its figures built."""

    service: Service
    mail: Kept
    kept: dict[str, str]
    past: History

    def of(self, name: str, **parameters: str) -> Json:
        return self.service.get(f"{self.service.project}/{name}", **parameters)

    def issue(self, fault: story.Fault) -> Json:
        found = self.service.issue(fault.title)
        assert found is not None
        return found


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    folder = DemoFolder(tmp_path_factory.mktemp("demo"))
    mail = Kept(folder.mail)
    port = free_port()
    settings = {
        "ERRATA_MAIL_HOST": "127.0.0.1",
        "ERRATA_MAIL_PORT": str(port),
        "ERRATA_MAIL_SECURITY": "none",
    }
    sink = Controller(mail, hostname="127.0.0.1", port=port)
    sink.start()
    # Builds are made once, below: scheduled ones would only repeat them.
    with running("--no-pipelines", directory=folder.data, settings=settings):
        known = folder.credentials()
        folder.write_shipper_config(known["base_url"], known["api_key"], known["app_key"])
        record = ("-m", "errata_shipper", "--config", str(folder.shipper_config), "--record")
        shipper = subprocess.Popen([sys.executable, *record], stderr=subprocess.DEVNULL)
        try:
            set_up = SetUp(folder, Service(known), WEEKS, lambda sentence: None, StopSignal())
            set_up.run()
            time.sleep(set_up.seconds_until_settled())
            build = ("-m", "errata", "build", "--data", str(folder.data))
            subprocess.run([sys.executable, *build], check=True, stdout=subprocess.DEVNULL)
            began = datetime.fromisoformat(set_up.progress.kept["began_at"])
            past = History(began, WEEKS, known["app_key"])
            yield Told(set_up.service, mail, set_up.progress.kept, past)
        finally:
            shipper.terminate()
            shipper.wait(20)
    sink.stop()


def test_releases_are_judged_as_they_were_made(told: Told) -> None:
    judged = {each["release"]: each for each in told.of("performance/releases")["releases"]}
    assert set(judged) == {release.version for release in story.RELEASES}
    for release in story.RELEASES:
        decided = judged[release.version]["verdict"]
        # A release that changes nothing is never called worse or better; certainty of that needs more loads.
        assert decided == release.verdict or (release.verdict, decided) == ("no_change", "not_enough_data")
    slower = judged[story.SLOWER.version]
    made = story.SLOWER.pages / story.RELEASES[2].pages - 1
    assert slower["effect_ratio_low"] - 0.02 < made < slower["effect_ratio_high"] + 0.02
    assert 0.25 <= slower["effect_ratio"] <= 0.4
    assert f"{100 * slower['effect_ratio']:.0f}% longer" in verdict(told.service)


def test_a_shift_is_found_on_the_day_of_the_slower_release(told: Told) -> None:
    shifts = [each for each in told.of("performance/change-points")["change_points"] if not each["page"]]
    slower = max(shifts, key=lambda each: each["change_ratio"])
    deployed = story.SLOWER.begins_at(told.past.since, told.past.now)
    assert abs(date.fromisoformat(slower["day"]) - deployed.date()) <= timedelta(days=1)
    assert slower["release"] == story.SLOWER.version
    assert slower["change_ratio"] > 0.25


def test_budgets_are_kept_and_breached_as_promised(told: Told) -> None:
    states = {each["name"]: each["state"] for each in told.of("performance/budgets")["budgets"]}
    assert states == story.BUDGETS


def test_the_resolved_issue_regressed_and_its_alert_is_in_the_mail(told: Told) -> None:
    deadline = time.monotonic() + 120
    while not (mails := [mail for _, mail in told.mail.latest_first() if "regress" in str(mail).lower()]):
        assert time.monotonic() < deadline
        time.sleep(0.5)
    issue = told.issue(story.COMES_BACK)
    assert (issue["status"], issue["id"]) == ("regressed", told.kept["came_back"])
    assert issue["last_release"] == story.NEWEST.version
    text = mails[0].get_body(("plain",))
    assert text is not None
    assert issue["id"] in text.get_content()
    (rule,) = [each for each in told.of("alert-rules")["rules"] if each["kind"] == "regressed"]
    assert rule["fired_count"] == 1


def test_each_bug_is_an_issue_with_the_events_that_were_written(told: Told) -> None:
    shown = told.of("issues", period="90d", limit="100")["issues"]
    # Two of them are merged; some of the rarest may not have happened.
    assert len(story.FAULTS) - 5 <= len(shown) <= len(story.FAULTS) - 1
    logs = told.mail.folder.parent / "logs"
    lines = [line for path in logs.glob("*.log") for line in path.read_bytes().splitlines()]
    assert sum(issue["event_count"] for issue in shown) == sum(
        b'"type":"event"' in line[:40] for line in lines
    )


def test_each_browser_error_of_a_day_has_a_replay_and_original_places(told: Told) -> None:
    logs = told.mail.folder.parent / "logs"
    latest = [line for path in sorted(logs.glob("*.log"))[-2:] for line in path.read_bytes().splitlines()]
    events = [json.loads(line)["payload"] for line in latest if line.startswith(b'{"type":"event"')]
    replays = {
        replay_id: told.of(f"replays/{replay_id}")
        for event in events
        if event["platform"] == "javascript" and (replay_id := event["tags"]["replayId"])
    }
    assert replays
    assert all(replay["errors"] for replay in replays.values())
    for fault in (story.ASSIGNED, story.SHARED, story.OF_BROWSER, story.COMES_BACK):
        assert told.issue(fault)["culprit"].startswith("scripts/"), fault


def differences_of(told: Told, fault: story.Fault) -> dict[tuple[str, str], Json]:
    found = told.service.get(f"/api/issues/{told.issue(fault)['id']}/different", period="8w")
    named = [each for finding in found["differences"] for each in (finding, *finding["along"])]
    return {(each["tag"], each["value"]): each for each in named}


def test_what_is_different_about_an_issue_names_its_browser_and_another_s_its_plan(told: Told) -> None:
    of_browser = differences_of(told, story.OF_BROWSER)
    names = {value for tag, value in of_browser if tag in ("browser", "browser.name")}
    assert names, of_browser.keys()
    assert all("Firefox" in name for name in names)
    of_plan = differences_of(told, story.OF_PLAN)
    assert of_plan["plan", story.OF_PLAN.plan]["issue_share"] > 0.9


def test_decisions_about_issues_are_in_place(told: Told) -> None:
    listed = [told.service.issue(fault.title) for fault in story.MERGED]
    assert listed.count(None) == 1
    assert told.issue(story.IGNORED)["status"] == "ignored"
    assigned = told.of("issues", query="is:assigned", period="90d")["issues"]
    assert [issue["id"] for issue in assigned] == [told.issue(story.ASSIGNED)["id"]]
    assert "Checkout" in {search["name"] for search in told.of("searches")["searches"]}
    assert told.of("performance/report-schedules")["schedules"]
    assert told.service.get(told.service.project)["name"] == "Sample shop"


def test_the_share_link_opens_without_signing_in(told: Told) -> None:
    answer = urllib3.PoolManager().request("GET", told.kept["share_link"])
    assert answer.status == 200
    # The page shows the type apart from the message.
    assert told.issue(story.SHARED)["title"].partition(": ")[2] in answer.data.decode()


def test_each_step_of_the_tour_shows_what_it_says(told: Told) -> None:
    steps = tour(told.service, told.kept)
    assert len(steps) == 8
    for step in steps:
        assert step.shows in told.service.html(step.address), step


def test_a_second_set_up_delivers_and_decides_nothing(told: Told) -> None:
    folder = DemoFolder(told.mail.folder.parent)
    before = sorted((path.name, path.stat().st_size) for path in folder.logs.glob("*.log"))
    set_up = SetUp(folder, told.service, WEEKS, pytest.fail, StopSignal())
    set_up.run()
    assert before == sorted((path.name, path.stat().st_size) for path in folder.logs.glob("*.log"))


def test_jobs_are_monitors_that_run_and_what_people_wrote_is_about_their_error(told: Told) -> None:
    states = {each["slug"]: each["state"] for each in told.of("monitors")["monitors"]}
    # The nightly one missed a run and has run since.
    assert states == dict.fromkeys((job.slug for job in story.JOBS), "ok")
    wrote = told.of("feedback", limit="100")["feedback"]
    assert {each["message"] for each in wrote} <= {text for texts in story.WROTE.values() for text in texts}
    assert len(wrote) > 5 and all(each["issue_id"] and each["replay_id"] for each in wrote)

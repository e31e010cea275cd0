"""What access tokens may do, as it is told."""

import re
from pathlib import Path

from errata.state.capability import Capability
from tests.api.conftest import Api

DOCS = Path(__file__).parents[2] / "docs" / "keys.md"


def test_the_docs_tell_every_capability_in_its_words() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", DOCS.read_text(), re.MULTILINE)
    assert rows == [(each.value, each.words) for each in Capability]


def test_a_token_acts_on_issues_and_deletes_none(api: Api) -> None:
    made = api.store.project_tokens.create(1, "web-shop", [Capability.TRIAGE], "Bot", 1, actor="owner")
    headers = {"Authorization": f"Bearer {made.text}"}
    path = "/api/projects/web-shop/issues/actions"
    wanted = {"ids": ["00000000000000aa"], "action": "delete"}
    assert api.error(403, "POST", path, json=wanted, headers=headers) == "forbidden"
    # The warehouse of this test is away: whoever asks it was let in.
    resolve = {**wanted, "action": "resolve"}
    assert api.error(503, "POST", path, json=resolve, headers=headers) == "warehouse_unavailable"

"""The file of configuration of the sample shop, on a service as its first start leaves it."""

from contextlib import closing
from pathlib import Path

import pytest

from demo import story
from demo.configuration import apply_configuration
from demo.folder import DemoError, DemoFolder
from errata.state import Store
from errata.up.credentials import ensure_first_account
from errata.up.data_directory import DataDirectory


@pytest.mark.slow
def test_the_shop_is_set_up_by_its_file_as_often_as_wanted(tmp_path: Path) -> None:
    folder = DemoFolder(tmp_path / "demo")
    with pytest.raises(DemoError, match="no account store"):
        apply_configuration(folder)
    directory = DataDirectory(folder.data)
    directory.create()
    directory.begin()
    with closing(Store.open(directory.state_url, directory.secret().encode())) as store:
        store.migrate()
        ensure_first_account(directory, store, "http://127.0.0.1:1")
        apply_configuration(folder)
        apply_configuration(folder)
        [project] = store.projects.of_organization(1)
        assert (project.name, project.platform) == ("Sample shop", "javascript")
        assert {budget.name for budget in store.budgets.of_project(1, project.slug)} == set(story.BUDGETS)
        rules = store.alerts.rules.of_project(1, project.slug)
        assert {rule.kind for rule in rules} == {"new", "regressed"}
        assert all(len(rule.channel_ids) == 1 for rule in rules)

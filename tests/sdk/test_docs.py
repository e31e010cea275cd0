import inspect
import re
from pathlib import Path

import errata_sdk

GUIDE = Path(__file__).parents[2] / "docs/sdk.md"
ROW = re.compile(r"^\| `(\w+)` \| (?:`(.*?)`|required) \| .+ \|$", re.MULTILINE)


def test_the_guide_lists_every_argument_with_its_default() -> None:
    documented = {
        name: eval(default) if default else inspect.Parameter.empty  # noqa: S307 (our own page)
        for name, default in ROW.findall(GUIDE.read_text("utf-8"))
    }
    assert documented == {
        name: parameter.default
        for name, parameter in inspect.signature(errata_sdk.init).parameters.items()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    }

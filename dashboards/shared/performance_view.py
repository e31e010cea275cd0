"""The address of a page of performance."""

from collections.abc import Mapping

from fastapi import Request

from dashboards.shared.addresses import View
from dashboards.shared.performance_nav import CARRIED

DEFAULTS = {"period": "14d"}
NAMES = (*CARRIED, "sort")


def performance_view(
    request: Request, *more: str, path: str = "", defaults: Mapping[str, str] | None = None
) -> View:
    values = {name: request.query_params.get(name, "") for name in (*NAMES, *more)}
    return View(path or request.url.path, values, defaults or DEFAULTS)

"""Files served as they are; an address with a hash may be kept for ever."""

import os

from starlette import staticfiles
from starlette.responses import Response
from starlette.types import Scope


class StaticFiles(staticfiles.StaticFiles):
    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        is_named_by_hash = scope.get("query_string", b"").startswith(b"v=")
        response.headers["Cache-Control"] = (
            "public, max-age=31536000, immutable" if is_named_by_hash else "no-cache"
        )
        return response

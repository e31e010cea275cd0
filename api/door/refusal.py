"""The response to a request that the direct door does not take."""

from errata_wire.refusal import Refused
from fastapi import Request
from starlette.responses import Response

from api.problems import problem
from errata.errors import ErrataError


class InvalidEnvelope(ErrataError):
    """A body that is no envelope or event. SDKs and sentry-cli show `detail` of this and the next ones."""

    code = "invalid_envelope"
    says_why = True

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.detail)
        self.extra = {"detail": refused.detail}
        self.headers = {
            "X-Sentry-Error": refused.detail.encode("ascii", "replace").decode(),
            **refused.headers,
        }


class KeyRefused(InvalidEnvelope):
    """No key of a project, one of another project, or a page of an origin that may not send."""

    code = "key_refused"


class EnvelopeTooLarge(InvalidEnvelope):
    code = "too_large"


class EncodingRefused(InvalidEnvelope):
    code = "unsupported_encoding"


class DoorRateLimited(InvalidEnvelope):
    code = "rate_limited"


class SpoolUnavailable(InvalidEnvelope):
    """Nothing could be written to this node's spool: it has none, or there is no room."""

    code = "spool_unavailable"


BY_STATUS: dict[int, type[InvalidEnvelope]] = {
    400: InvalidEnvelope,
    403: KeyRefused,
    413: EnvelopeTooLarge,
    415: EncodingRefused,
    429: DoorRateLimited,
    503: SpoolUnavailable,
}
# What a sender may be answered with, beside success.
CODES = tuple(error.code for error in BY_STATUS.values())


def response_to(request: Request, refused: Refused) -> Response:
    error = BY_STATUS[refused.status](refused)
    response = problem(request, error)
    response.headers.update(error.headers)
    return response

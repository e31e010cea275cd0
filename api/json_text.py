"""A response of JSON that is large."""

from fastapi.responses import Response, StreamingResponse

from errata.deflated import Deflated


def json_text(text: Deflated) -> Response:
    """The response inflates as its caller reads it: a slow one neither keeps the text nor the warehouse."""
    headers = {"Content-Length": str(text.inflated_bytes)}
    return StreamingResponse(text.chunks(), headers=headers, media_type="application/json")

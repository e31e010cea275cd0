"""`python -m demo.mail`: a mail server that keeps what it gets, a page to read it, and the tour."""

import argparse
import email
import html
import signal
import sys
from collections.abc import Iterator
from email.message import EmailMessage
from email.policy import default as POLICY  # noqa: N812
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>
:root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }}
body {{ max-width: 48rem; margin: 2rem auto; padding: 0 1rem }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; font: inherit }}
pre {{ border-top: 1px solid; padding-top: 1rem }}
li {{ margin: .5rem 0 }} small {{ opacity: .7 }}
</style></head><body><h1>{title}</h1>{body}</body></html>"""


class Kept:
    """Each mail as a file `0001.eml`, in order of arrival."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        number = len([*self.folder.glob("*.eml")]) + 1
        made = self.folder / f"{number:04d}.part"
        made.write_bytes(envelope.original_content or b"")
        made.rename(made.with_suffix(".eml"))
        return f"250 kept as {number:04d}.eml"

    def latest_first(self) -> Iterator[tuple[str, EmailMessage]]:
        for path in sorted(self.folder.glob("*.eml"), reverse=True):
            yield path.stem, read(path)


def read(path: Path) -> EmailMessage:
    message = email.message_from_bytes(path.read_bytes(), policy=POLICY)
    assert isinstance(message, EmailMessage)
    return message


def listed(kept: Kept) -> str:
    rows = [
        f'<li><a href="/{name}">{html.escape(message["subject"])}</a><br>'
        f"<small>to {html.escape(message['to'])}, {html.escape(message['date'] or '')}</small></li>"
        for name, message in kept.latest_first()
    ]
    body = (
        f"<ul>{''.join(rows)}</ul>"
        if rows
        else "<p>No mail yet. Errata sends an alert within half a minute.</p>"
    )
    return PAGE.format(title="Mail from Errata", body=body)


def shown(message: EmailMessage) -> str:
    text = message.get_body(("plain",))
    files = [part.get_filename() or "" for part in message.iter_attachments()]
    attached = f"<p><small>Attached: {html.escape(', '.join(files))}</small></p>" if files else ""
    content = html.escape(text.get_content() if text else "")
    body = f'<p><a href="/">All mail</a></p><pre>{content}</pre>{attached}'
    return PAGE.format(title=html.escape(message["subject"]), body=body)


def reading(kept: Kept, tour: Path) -> type[BaseHTTPRequestHandler]:
    class Reading(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.strip("/")
            path = kept.folder / f"{name}.eml"
            if not name:
                self._answer(HTTPStatus.OK, listed(kept))
            elif name == "tour" and tour.exists():
                body = tour.read_text("utf-8")
                self._answer(HTTPStatus.OK, PAGE.format(title="A tour of Errata", body=body))
            elif name.isdigit() and path.exists():
                self._answer(HTTPStatus.OK, shown(read(path)))
            else:
                self._answer(HTTPStatus.NOT_FOUND, PAGE.format(title="No such mail", body=""))

        def _answer(self, status: HTTPStatus, page: str) -> None:
            content = page.encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    return Reading


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m demo.mail")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--tour", type=Path, required=True, help="part of an HTML page")
    parser.add_argument("--smtp-port", type=int, required=True)
    parser.add_argument("--port", type=int, required=True, help="port of the page")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    kept = Kept(chosen.folder)
    server = Controller(kept, hostname="127.0.0.1", port=chosen.smtp_port)
    server.start()
    try:
        ThreadingHTTPServer(("127.0.0.1", chosen.port), reading(kept, chosen.tour)).serve_forever()
    finally:
        server.stop()


if __name__ == "__main__":
    main()

"""Meets the bugs of pages in browsers, and keeps the events of the browser SDK.

`python -m bench.engines.capture FOLDER PAGE`: FOLDER has `@sentry/browser` and `esbuild` in its
`node_modules`; for `frameworks.js` also `react` and `react-dom` of version 19, and those of version 18 as
`react18` and `react-dom18`. `frameworks.js` needs Debian's `chromium`; `page.js` also `firefox-esr`,
`webkit2gtk-driver` (its MiniBrowser) and `xvfb`.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

DATA = Path(__file__).parents[2] / "tests" / "data"
PRODUCTION = ("--minify", '--define:process.env.NODE_ENV="production"')
PAGES: dict[str, tuple[str, tuple[str, ...], dict[str, tuple[str, ...]]]] = {
    "page.js": (
        "engine_errors.jsonl.gz",
        ("chromium", "firefox", "webkit"),
        {"plain": (), "minified": ("--minify",)},
    ),
    "frameworks.js": (
        "framework_errors.jsonl.gz",
        ("chromium",),
        {
            "React 19": PRODUCTION,
            "React 18": (*PRODUCTION, "--alias:react=react18", "--alias:react-dom=react-dom18"),
        },
    ),
}
QUIET = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split()
ENGINES = {
    "chromium": ["chromium", "--headless", *QUIET, "--disable-component-update", "--disable-sync"],
    "firefox": ["firefox-esr", "--headless", "--no-remote", "--profile", "."],
    "webkit": ["xvfb-run", "-a", "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser", "--private"],
}
LIMIT_SECONDS = 90

Met = list[dict[str, Any]]


def served(script: bytes, met: Queue[Met]) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_script = self.path.endswith(".js")
            self.send_response(200)
            self.send_header("content-type", "text/javascript" if is_script else "text/html")
            self.end_headers()
            self.wfile.write(script if is_script else b"<!doctype html><script src=/assets/app.js></script>")

        def do_POST(self) -> None:
            met.put(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_request(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    return server


def events(command: list[str], script: bytes) -> Met:
    met: Queue[Met] = Queue()
    server = served(script, met)
    with TemporaryDirectory(ignore_cleanup_errors=True) as home:
        environ = os.environ | {"HOME": home, "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        address = f"http://127.0.0.1:{server.server_port}/"
        browser = subprocess.Popen(
            [*command, address],
            cwd=home,
            env=environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return met.get(timeout=LIMIT_SECONDS)
        finally:
            os.killpg(browser.pid, signal.SIGTERM)
            browser.wait()
            server.shutdown()


def captured(
    folder: Path, page: str, engines: tuple[str, ...], builds: dict[str, tuple[str, ...]]
) -> Iterator[str]:
    shutil.copy(Path(__file__).with_name(page), folder / page)
    for build, options in builds.items():
        bundle = folder / f"{build}.js"
        bundler = [str(folder / "node_modules/.bin/esbuild"), page, "--bundle", f"--outfile={bundle}"]
        subprocess.run([*bundler, "--log-level=error", *options], cwd=folder, check=True)
        for engine in engines:
            for item in events(ENGINES[engine], bundle.read_bytes()):
                extra = {"case": item["bug"], "engine": engine, "build": build}
                kept = {"platform": "javascript", "exception": item["event"]["exception"], "extra": extra}
                yield json.dumps(kept)


def main() -> None:
    folder, page = Path(sys.argv[1]), sys.argv[2]
    name, engines, builds = PAGES[page]
    lines = list(captured(folder, page, engines, builds))
    size = (DATA / name).write_bytes(gzip.compress("\n".join(lines).encode() + b"\n", mtime=0))
    print(f"{len(lines)} events, {size} bytes")


if __name__ == "__main__":
    main()

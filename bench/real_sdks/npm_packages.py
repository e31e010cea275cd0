"""What npm has: SDKs for Node, Deno, Bun and browsers, what runs them, and a program with Rust's."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.real_sdks.sdk import PROGRAMS, NotInstalled, Sdk

_DEPENDENCIES = {
    "@sentry/node": "*",
    "sentry-node-7": "npm:@sentry/node@7",
    "raven": "*",
    "@sentry/deno": "*",
    "deno": "*",
    "@sentry/bun": "*",
    "bun": "*",
    "@sentry/cli-linux-x64": "*",
    "@sentry/browser": "*",
    "sentry-browser-8": "npm:@sentry/browser@8",
    "raven-js": "*",
    "esbuild": "*",
}


# By label: the package, and the page's program.
PAGES = {
    "@sentry/browser": ("@sentry/browser", "page.mjs"),
    "@sentry/browser 8": ("sentry-browser-8", "page_8.mjs"),
    "raven-js": ("raven-js", "page_raven.cjs"),
}


class NpmPackages:
    names = ("@sentry/node", "@sentry/node 7", "raven for Node", "@sentry/deno", "@sentry/bun", "sentry-cli")

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._modules = folder / "node_modules"

    def install(self) -> None:
        manifest = {"private": True, "dependencies": _DEPENDENCIES}
        (self._folder / "package.json").write_text(json.dumps(manifest))
        if shutil.which("npm") is None:
            raise NotInstalled("no npm")
        command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"]
        done = subprocess.run(
            command, cwd=self._folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        if done.returncode:
            raise NotInstalled(f"npm: {done.stderr.strip()[-200:]}")
        for program in PROGRAMS.iterdir():
            if program.suffix in (".mjs", ".cjs"):
                shutil.copy(program, self._folder)

    def sdks(self) -> Iterator[Sdk]:
        binaries = self._modules / ".bin"
        node = shutil.which("node") or "node"
        deno = [str(binaries / "deno"), "run", "-A", "--no-remote", "--node-modules-dir=manual"]
        cli = str(self._modules / "@sentry/cli-linux-x64/bin/sentry-cli")
        yield self._sdk("@sentry/node", "Node", "@sentry/node", [node, "node.mjs"])
        yield self._sdk("@sentry/node 7", "Node", "sentry-node-7", [node, "node_7.mjs"])
        yield self._sdk("raven for Node", "Node", "raven", [node, "raven_node.cjs"], sends_spans=False)
        yield self._sdk("@sentry/deno", "Deno", "@sentry/deno", [*deno, "deno.mjs"])
        yield self._sdk("@sentry/bun", "Bun", "@sentry/bun", [str(binaries / "bun"), "bun.mjs"])
        # It takes its DSN from the environment, and writes the id into a sentence.
        send = (
            f'SENTRY_DSN="$0" {cli} send-event --message "no discount of $1" --release shop@1.0.0 --env test'
        )
        shell = ["sh", "-c", f"{send} | tr -d - | awk '{{print $NF}}'"]
        yield self._sdk("sentry-cli", "Rust", "@sentry/cli-linux-x64", shell, sends_spans=False)

    def version(self, package: str) -> str:
        return str(json.loads((self._modules / package / "package.json").read_text())["version"])

    def bundled(self, page: str) -> Path:
        """A page's program with its SDK, as a script for browsers."""
        bundle = self._folder / f"{page}.bundle.js"
        command = [str(self._modules / ".bin/esbuild"), page, "--bundle", "--minify", f"--outfile={bundle}"]
        subprocess.run(command, cwd=self._folder, check=True, capture_output=True)
        return bundle

    def _sdk(
        self, label: str, language: str, package: str, command: list[str], sends_spans: bool = True
    ) -> Sdk:
        environment = {"DENO_NO_UPDATE_CHECK": "1"}
        return Sdk(label, language, self.version(package), command, environment, sends_spans)

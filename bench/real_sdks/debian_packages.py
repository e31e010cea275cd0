"""What Debian has: SDKs for Ruby and Go with their languages, unpacked, not installed."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.real_sdks.sdk import PROGRAMS, NotInstalled, Sdk

_RUBY = ("ruby3.1", "libruby3.1", "ruby-rubygems", "ruby-concurrent", "ruby-sentry-ruby-core")
_RAVEN_RUBY = ("ruby-faraday", "ruby-multipart-post", "ruby-ruby2-keywords", "ruby-sentry-raven")
_GO = (
    *("golang-1.19-go", "golang-1.19-src", "golang-github-pkg-errors-dev"),
    *("golang-github-getsentry-sentry-go-dev", "golang-github-getsentry-raven-go-dev"),
)


class DebianPackages:
    names = ("sentry-ruby", "raven for Ruby", "sentry-go", "raven-go")

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._root = folder / "unpacked"

    def install(self) -> None:
        if shutil.which("apt-get") is None:
            raise NotInstalled("no apt-get")
        command = ["apt-get", "download", "--quiet", *_RUBY, *_RAVEN_RUBY, *_GO]
        done = subprocess.run(
            command, cwd=self._folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        if done.returncode:
            raise NotInstalled(f"apt-get: {done.stderr.strip()[-200:]}")
        for package in self._folder.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", str(package), str(self._root)], check=True)

    def sdks(self) -> Iterator[Sdk]:
        ruby, environment = self._ruby()
        yield Sdk(
            "sentry-ruby", "Ruby", self._version("ruby-sentry-ruby-core"), [*ruby, "sentry.rb"], environment
        )
        yield Sdk(
            "raven for Ruby",
            "Ruby",
            self._version("ruby-sentry-raven"),
            [*ruby, "raven.rb"],
            environment,
            sends_spans=False,
        )
        for label, source in (("sentry-go", "sentry.go"), ("raven-go", "raven.go")):
            version = self._version(f"golang-github-getsentry-{label}-dev")
            yield Sdk(label, "Go", version, [str(self._built(source))], sends_spans=False)

    def _ruby(self) -> tuple[list[str], dict[str, str]]:
        for name in ("sentry.rb", "raven.rb"):
            shutil.copy(PROGRAMS / name, self._folder)
        gems = self._root / "usr/share/rubygems-integration/all"
        native = next((self._root / "usr/lib").glob("*/ruby")).parent
        libraries = [
            self._root / "usr/lib/ruby/3.1.0",
            native / "ruby/3.1.0",
            self._root / "usr/lib/ruby/vendor_ruby",
            *gems.glob("gems/*/lib"),
            *gems.glob("gems/concurrent-ruby-*/lib/concurrent-ruby"),
        ]
        environment = {
            "LD_LIBRARY_PATH": str(native),
            "RUBYLIB": ":".join(map(str, libraries)),
            "GEM_PATH": str(gems),
        }
        return [str(self._root / "usr/bin/ruby3.1")], environment

    def _built(self, source: str) -> Path:
        program = self._folder / "go" / "src" / Path(source).stem / "main.go"
        program.parent.mkdir(parents=True)
        shutil.copy(PROGRAMS / source, program)
        go = self._root / "usr/lib/go-1.19"
        environment = {
            **os.environ,
            "GO111MODULE": "off",
            "GOROOT": str(go),
            "GOPATH": f"{self._folder}/go:{self._root}/usr/share/gocode",
            "GOCACHE": str(self._folder / "go-cache"),
        }
        built = program.with_suffix(".bin")
        command = [str(go / "bin/go"), "build", "-o", str(built), program.parent.name]
        subprocess.run(command, cwd=self._folder, env=environment, check=True, capture_output=True)
        return built

    def _version(self, package: str) -> str:
        (archive,) = self._folder.glob(f"{package}_*.deb")
        return archive.name.split("_")[1].partition("-")[0].partition("%2b")[0]

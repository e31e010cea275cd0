"""Builds the container image without Docker, and runs it as compose.yaml does.

`python -m bench.image --folder DIR` needs root, Debian's `buildah` and `debootstrap`, and `setpriv` and
`unshare` of util-linux. The base is a small Debian with Python 3.13, in place of the image that the
Dockerfile names. The root file system is read-only, the user is that of the image, and no capabilities
are left. Prints one JSON line: sizes, seconds until the service is healthy, its processes."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from tests.processes import free_port

ROOT = Path(__file__).resolve().parents[1]
BASE, IMAGE = "localhost/errata-base", "localhost/errata"
SUITE, ARCHIVE = "trixie", "http://deb.debian.org/debian"
PACKAGES = "python3,python3-venv,ca-certificates"
HEALTHY_WITHIN_SECONDS = 180
STOPPED_WITHIN_SECONDS = 90
PIPELINES_AFTER_SECONDS = 30


class Buildah:
    """Images and containers in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self._options = ["--root", str(folder / "store"), "--runroot", str(folder / "run")]
        self._environment = {**os.environ, "BUILDAH_ISOLATION": "chroot"}

    def __call__(self, command: str, *arguments: str, cwd: Path = ROOT) -> str:
        done = subprocess.run(
            ["buildah", *self._options, command, *arguments],
            env=self._environment,
            cwd=cwd,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        return done.stdout.strip()


def make_base(buildah: Buildah, folder: Path, files: Sequence[str]) -> None:
    """`files` of this machine are copied into it, such as a configuration of pip and its certificates."""
    tree = folder / "base"
    if not tree.exists():
        subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, str(tree), ARCHIVE],
            check=True,
            stdout=sys.stderr,
        )
        for cache in ("var/cache/apt/archives", "var/lib/apt/lists"):
            shutil.rmtree(tree / cache)
    for file in files:
        (tree / file.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, tree / file.lstrip("/"))
    packed = folder / "base.tar"
    subprocess.run(["tar", "-C", str(tree), "-cf", str(packed), "."], check=True)
    made = buildah("from", "scratch")
    buildah("add", "--quiet", made, str(packed), "/")
    buildah("commit", "--quiet", "--rm", made, BASE)


def build(buildah: Buildah, target: str) -> str:
    name = f"{IMAGE}-{target}"
    arguments = ["--format", "docker", "--build-arg", f"BASE={BASE}", "--target", target, "--tag", name]
    buildah("build", "--quiet", *arguments, ".")
    return name


def compressed_bytes(buildah: Buildah, image: str, folder: Path) -> int:
    packed = folder / "image.tar"
    packed.unlink(missing_ok=True)
    buildah("push", "--quiet", image, f"oci-archive:{packed}")
    return packed.stat().st_size


def unpacked_bytes(tree: Path) -> int:
    said = subprocess.run(["du", "-sb", str(tree)], check=True, capture_output=True, text=True).stdout
    return int(said.split()[0])


@contextmanager
def mounted(buildah: Buildah, image: str) -> Iterator[Path]:
    container = buildah("from", image)
    try:
        yield Path(buildah("mount", container))
    finally:
        buildah("rm", container)


def configuration(buildah: Buildah, image: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(buildah("inspect", "--type", "image", image))["Docker"]["config"]
    return found


@contextmanager
def running(tree: Path, folder: Path, config: dict[str, Any], port: int) -> Iterator[psutil.Process]:
    """The service in a namespace of its own for mounts, with the file systems that compose.yaml gives it."""
    user = config["User"]
    mounts = [f"mount --bind {tree} {tree}"]
    for number, place in enumerate(config["Volumes"]):
        volume = folder / f"volume-{number}"
        shutil.rmtree(volume, ignore_errors=True)
        shutil.copytree(tree / place.lstrip("/"), volume)
        subprocess.run(["chown", "-R", f"{user}:{user}", str(volume)], check=True)
        mounts.append(f"mount --bind {volume} {tree}{place}")
    mounts.append(f"mount -t tmpfs tmpfs {tree}/tmp")
    mounts.append(f"mount -t proc proc {tree}/proc")
    mounts.append(f"mount --rbind /dev {tree}/dev")
    mounts.append(f"mount -o remount,ro,bind {tree}")
    enter = [
        *("setpriv", "--no-new-privs", "--bounding-set=-all,+sys_chroot,+setuid,+setgid"),
        *("chroot", f"--userspec={user}:{user}", str(tree), "env", "-i", *config["Env"]),
    ]
    program = [*config["Entrypoint"], *config["Cmd"][:-1], str(port)]
    command = "\n".join(["set -e", *mounts, 'exec "$@"'])
    started = subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", command, "sh", *enter, *program], stdout=sys.stderr, cwd="/"
    )
    try:
        yield psutil.Process(started.pid)
    finally:
        started.terminate()
        started.wait(STOPPED_WITHIN_SECONDS)


def seconds_until_healthy(service: psutil.Process, port: int) -> float:
    """Since the service was started."""
    while True:
        with (
            suppress(OSError),
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health", timeout=5) as answer,
        ):
            if answer.status == 200:
                return time.time() - service.create_time()
        if not service.is_running() or time.time() - service.create_time() > HEALTHY_WITHIN_SECONDS:
            raise TimeoutError("The service did not become healthy.")
        time.sleep(0.2)


def processes(service: psutil.Process) -> list[dict[str, Any]]:
    """Program, user and memory in MB (PSS) of each."""
    return [
        {
            "program": " ".join(Path(word).name for word in one.cmdline()[1:4]),
            "uid": one.uids().effective,
            "mb": round(one.memory_full_info().pss / 1e6),
        }
        for one in (service, *service.children(recursive=True))
    ]


def is_read_only(service: psutil.Process) -> bool:
    mounts = Path(f"/proc/{service.pid}/mounts").read_text().splitlines()
    (root,) = [line.split()[3] for line in mounts if line.split()[1] == "/"][-1:] or [""]
    return "ro" in root.split(",")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.image")
    parser.add_argument(
        "--folder", type=Path, required=True, help="for images; a later run uses its base again"
    )
    parser.add_argument(
        "--file", action="append", default=[], help="a file of this machine to copy into the base"
    )
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    buildah = Buildah(folder)
    make_base(buildah, folder, arguments.file)
    image = build(buildah, "server")
    config = configuration(buildah, image)
    port = free_port()
    with mounted(buildah, image) as tree:
        facts: dict[str, Any] = {
            "compressed_mb": round(compressed_bytes(buildah, image, folder) / 1e6),
            "unpacked_mb": round(unpacked_bytes(tree) / 1e6),
            "health_check": config["Healthcheck"]["Test"],
        }
        with running(tree, folder, config, port) as service:
            facts["healthy_after_seconds"] = round(seconds_until_healthy(service, port), 1)
            facts["is_read_only"] = is_read_only(service)
            time.sleep(PIPELINES_AFTER_SECONDS)
            facts["processes"] = processes(service)
    print(json.dumps(facts))
    return 0


if __name__ == "__main__":
    sys.exit(main())

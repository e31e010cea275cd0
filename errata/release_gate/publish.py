"""The gate's verdict, at the commit and the request to merge of a forge."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from errata.errors import ErrataError
from errata.release_gate.answer import GOOD, WORSE, exit_code
from errata.release_gate.comment import comment, marker
from errata.release_gate.errors import ForgeNotTold
from errata.release_gate.forge import Forge
from errata.release_gate.forges import github, gitlab
from errata.release_gate.status import State, Status

FORGES: Mapping[str, type[Forge]] = {one.FORGE.kind: one.FORGE for one in (github, gitlab)}
CONTEXT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._/]|-(?!-)){0,99}")
STATES = {GOOD: State.GOOD, WORSE: State.WORSE}
NOT_ASKED = "Can't tell: the service did not answer"


def is_context(name: str) -> bool:
    """Whether a comment can be found again by this name."""
    return CONTEXT.fullmatch(name) is not None


@dataclass(frozen=True)
class Publication:
    """`context` names the gate among others of a commit; `commit` empty: the job's."""

    forge: str
    context: str
    commit: str
    has_comment: bool
    is_required: bool


def publish(
    environ: Mapping[str, str],
    wanted: Publication,
    told: Mapping[str, Any] | None,
    issues: Mapping[str, Any],
    service_url: str,
    details_url: str,
) -> list[str]:
    """What went wrong, as sentences; the status is set even where the comment can't be written.

    `told` None: the service did not answer.
    """
    try:
        forge = FORGES[wanted.forge].of_job(environ, wanted.commit)
    except ErrataError as error:
        return [str(error)]
    state = STATES.get(exit_code(told), State.UNDECIDED) if told else State.UNDECIDED
    problems = []
    try:
        forge.set_status(Status(wanted.context, state, _description(told), details_url))
    except ForgeNotTold as error:
        problems.append(f"{error} (status)")
    if wanted.has_comment and told is not None:
        try:
            forge.put_comment(marker(wanted.context), comment(told, issues, service_url, details_url))
        except ForgeNotTold as error:
            problems.append(f"{error} (comment)")
    return problems


def _description(told: Mapping[str, Any] | None) -> str:
    if told is None:
        return NOT_ASKED
    text = str(told.get("headline") or "No page load of this release has been counted yet")
    return "".join(letter if letter.isprintable() else " " for letter in text)

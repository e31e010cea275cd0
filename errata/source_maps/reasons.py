"""Why a frame stays minified, and the one thing to do about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from errata.source_maps.addresses import names_of
from errata.source_maps.frames import Position, Script


class Reason(StrEnum):
    NO_POSITION = "no_position"
    NO_UPLOAD = "no_upload"
    NO_RELEASE = "no_release"
    OTHER_BUILD = "other_build"
    OTHER_RELEASE = "other_release"
    OTHER_DIST = "other_dist"
    OTHER_NAME = "other_name"
    NOT_IN_RELEASE = "not_in_release"
    RELEASE_WITHOUT_UPLOAD = "release_without_upload"
    NO_MAP = "no_map"
    UNREADABLE = "unreadable"
    NOT_COVERED = "not_covered"
    NO_READER = "no_reader"


@dataclass(frozen=True, slots=True)
class Near:
    """A script in an upload whose name ends like the one looked for. `map_reference`: what it says of its
    map."""

    name: str
    debug_id: UUID | None
    has_map: bool
    map_reference: str
    release: str
    dist: str


@dataclass(frozen=True, slots=True)
class Unmapped:
    """A frame that is still minified."""

    script: Script
    position: Position | None
    function: str
    reason: Reason
    near: Near | None = None
    detail: str = ""

    @property
    def is_of_build(self) -> bool:
        """Whether the script belongs to a build whose map is missing: not if its release was uploaded without
        it, or if nothing names its build, as of scripts of others."""
        if self.reason in (Reason.NO_POSITION, Reason.NOT_IN_RELEASE, Reason.NO_RELEASE):
            return False
        return self.reason is not Reason.RELEASE_WITHOUT_UPLOAD or self.script.debug_id is not None

    @property
    def looked_for(self) -> str:
        """Which map was looked for."""
        build = f"debug ID {self.script.debug_id}" if self.script.debug_id else ""
        named = ""
        if self.script.release:
            names = " or ".join(names_of(self.script.url))
            dist = f", dist {self.script.dist}" if self.script.dist else ""
            named = f"{names} in release {self.script.release}{dist}"
        return ", else ".join(each for each in (build, named) if each) or self.script.url

    @property
    def said(self) -> str:
        """What was found, in a sentence."""
        near = self.near
        match self.reason:
            case Reason.NO_POSITION:
                return "The event has no line and column for this frame."
            case Reason.NO_UPLOAD:
                return "No source maps have been uploaded for this project."
            case Reason.NO_RELEASE:
                return "The event has neither a debug ID nor a release."
            case Reason.OTHER_BUILD if near and near.debug_id:
                return f"{near.name} was uploaded, but from another build (debug ID {near.debug_id})."
            case Reason.OTHER_RELEASE if near:
                return f"{near.name} was uploaded for another release, {near.release or 'or none'}."
            case Reason.OTHER_DIST if near:
                return f"{near.name} was uploaded for dist {near.dist or '(none)'} of this release."
            case Reason.OTHER_NAME if near:
                return f"This release has an upload with that file name, but as {near.name}."
            case Reason.NOT_IN_RELEASE:
                return "The uploads for this release don't contain this file."
            case Reason.RELEASE_WITHOUT_UPLOAD:
                return f"No source maps have been uploaded for release {self.script.release}."
            case Reason.NO_MAP:
                about = f" (it refers to {near.map_reference})" if near and near.map_reference else ""
                return f"The script was uploaded without its source map{about}."
            case Reason.UNREADABLE:
                return f"The uploaded source map can't be read: {self.detail}."
            case Reason.NO_READER:
                return "This server was installed without the source map reader."
            case _:
                return "The uploaded source map doesn't cover this line and column."

    @property
    def remedy(self) -> str:
        """The one thing to do."""
        near = self.near
        match self.reason:
            case Reason.NO_POSITION:
                return "Nothing to do: frames like this one have no position in a file."
            case Reason.NO_RELEASE:
                return "Set the release in the SDK, or let the bundler's plugin inject debug IDs."
            case Reason.OTHER_BUILD:
                return "Upload the files of the build that is deployed."
            case Reason.OTHER_RELEASE:
                return (
                    f"Upload the files for release {self.script.release}, or set the same release in the SDK."
                )
            case Reason.OTHER_DIST:
                dist = self.script.dist or "(none)"
                return f"Upload the files with dist {dist}, or set the same dist in the SDK."
            case Reason.OTHER_NAME if near:
                return (
                    f"Upload with a URL prefix that makes {near.name} match {names_of(self.script.url)[-1]}."
                )
            case Reason.NO_MAP:
                return "Upload the source map together with its script."
            case Reason.UNREADABLE:
                return "Build the source map again, and upload it again."
            case Reason.NO_READER:
                return "Install it on the server: pip install symbolic."
            case Reason.NOT_COVERED:
                return "Upload the script and source map of the same build."
            case Reason.NOT_IN_RELEASE:
                return (
                    "If this file is yours, upload it with its source map; otherwise there is nothing to do."
                )
            case _:
                return (
                    f"Upload the source maps of release {self.script.release}."
                    if self.script.release
                    else ("Upload the source maps of this build.")
                )


def reason_of(
    script: Script, near: Sequence[Near], *, has_uploads: bool, has_release: bool
) -> tuple[Reason, Near | None]:
    """Why no map was found for a script: `near` are uploads of scripts with the same last part of the name;
    `has_release` says whether anything was uploaded for its release."""
    if not has_uploads:
        return Reason.NO_UPLOAD, None
    names = names_of(script.url)
    same_release = [one for one in near if one.release == script.release and script.release]
    for one in same_release:
        if one.name in names:
            if not one.has_map:
                return Reason.NO_MAP, one
            if one.dist != script.dist:
                return Reason.OTHER_DIST, one
            return Reason.OTHER_BUILD, one
    if same_release:
        return Reason.OTHER_NAME, same_release[0]
    if script.debug_id is None and not script.release:
        return Reason.NO_RELEASE, None
    if near and script.debug_id is not None and near[0].debug_id is not None:
        return Reason.OTHER_BUILD, near[0]
    if near and script.release:
        return Reason.OTHER_RELEASE, near[0]
    if has_release:
        return Reason.NOT_IN_RELEASE, None
    return Reason.RELEASE_WITHOUT_UPLOAD if script.release else Reason.NO_UPLOAD, None

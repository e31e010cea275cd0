"""`set-up.json`: what of the story is in place, so that another run goes on where this one ends."""

import json
from pathlib import Path


class Progress:
    def __init__(self, path: Path) -> None:
        self.path = path
        known = json.loads(path.read_text("utf-8")) if path.exists() else {}
        self.steps: list[str] = known.get("steps", [])
        self.kept: dict[str, str] = known.get("kept", {})

    @property
    def has_begun(self) -> bool:
        return self.path.exists()

    def done(self, step: str) -> None:
        self.steps.append(step)
        self._write()

    def keep(self, name: str, text: str) -> None:
        """What cannot be asked for later."""
        self.kept[name] = text
        self._write()

    def _write(self) -> None:
        made = self.path.with_suffix(".part")
        made.touch(mode=0o600)
        made.write_text(json.dumps({"steps": self.steps, "kept": self.kept}, indent=2), "utf-8")
        made.replace(self.path)

"""Show 2, the second half: nothing stale is said to who connects right after a change.

Twice before each change a conversation is held, so that whatever is kept for the next one is kept.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.install import Installed
from tests.e2e.program import Program
from tests.e2e.stage import Stage, stage
from tests.e2e.stand_in.script import Say

_PROMPT = "Good morning."


@dataclass(frozen=True)
class Staleness:
    """What the model was told right after a change."""

    client: str
    change: str
    was_told_before: bool
    stale: Sequence[str]
    """Words that no longer hold, and were said."""
    missing: Sequence[str]
    """Words that hold, and were not said: where the server is not there in time, little is said."""


def changes(installed: Installed, program: Program) -> list[Staleness]:
    """Each change in a home of its own."""
    told = []
    for change, then in _CHANGES.items():
        with stage(installed) as place:
            program.run(place.environment, place.project, "connect", place.client.name, "--yes")
            place.client.approve(place.installed.program, place.environment, place.project)
            told.append(then(_Teller(place, program, change)))
    return told


@dataclass(frozen=True)
class _Teller:
    """Memory and client of one home."""

    place: Stage
    program: Program
    change: str

    def run(self, *arguments: str) -> str:
        return self.program.run(self.place.environment, self.place.project, *arguments)

    def remember(self, *arguments: str) -> str:
        """A rule, and its id."""
        said = self.run("remember", *arguments, "--type", "rule", "--json")
        return str(json.loads(said)["id"])

    def hear(self, folder: Path | None = None) -> str:
        """All that the first question tells the model."""
        text = self.place.talk(_PROMPT, [Say("Good morning.")], folder=folder).text()
        self.place.processes()  # what is kept for the next one is kept then
        return text

    def verdict(
        self, before: str, gone: str, there: str = "", *, folder: Path | None = None
    ) -> Staleness:
        after = self.hear(folder)
        return Staleness(
            client=self.place.client.name,
            change=self.change,
            was_told_before=gone in before,
            stale=[gone] if gone in after else [],
            missing=[there] if there not in after else [],
        )


def _forget(teller: _Teller) -> Staleness:
    rule = teller.remember("Deploys need the two reviewers Ada and Grace.")
    teller.hear()
    before = teller.hear()
    teller.run("forget", rule, "--yes")
    return teller.verdict(before, "Ada and Grace")


def _correct(teller: _Teller) -> Staleness:
    rule = teller.remember("Releases are cut on Thursdays.")
    teller.hear()
    before = teller.hear()
    teller.run("revise", rule, "correct", "Releases are cut on Mondays.")
    return teller.verdict(before, "cut on Thursdays", "cut on Mondays")


def _change_folder(teller: _Teller) -> Staleness:
    teller.remember("This project is formatted with tabs.", "--scope", "project")
    teller.hear()
    before = teller.hear()
    other = teller.place.folder("another")
    return teller.verdict(before, "formatted with tabs", folder=other)


def _edit_by_hand(teller: _Teller) -> Staleness:
    """A person deletes the line from the file itself."""
    teller.remember("Invoices are numbered by year.")
    teller.run("nightly")
    teller.hear()
    before = teller.hear()
    for path in (teller.place.home / ".memoria").rglob("*.md"):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if "numbered by year" not in line), "utf-8")
    return teller.verdict(before, "numbered by year")


_CHANGES: dict[str, Callable[[_Teller], Staleness]] = {
    "forget": _forget,
    "correct": _correct,
    "change of folder": _change_folder,
    "edit by hand": _edit_by_hand,
}

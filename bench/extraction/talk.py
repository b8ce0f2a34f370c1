"""Which conversation is played: the demo's, one of LoCoMo's, or one of each kind for the price."""

import json
from collections.abc import Sequence
from importlib import resources
from itertools import groupby
from pathlib import Path

from bench.data import BEAM_FILE, beam_turns, has_locomo, locomo
from bench.extraction.concluded import Concluded, load_concluded
from memoria import Turn

_BEAM_CHAT = "beam1"
_LOCOMO_SESSIONS = 4
_SHORT = {"short sessions": "short-english", "short sessions in Chinese": "short-chinese"}
"""Talks of several short sessions over some days, whose user gives rules and changes facts."""
Talk = tuple[tuple[Turn, ...], ...]
"""Turns, session by session."""


def demo_talk() -> Talk:
    """The conversation of `memoria demo`."""
    file = resources.files("memoria.surface.cli.demo").joinpath("conversation.jsonl")
    lines = file.read_text("utf-8").splitlines()
    return _by_session([Turn.model_validate(json.loads(line)) for line in lines])


def locomo_talk(folder: Path) -> Talk:
    """The first of the shared LoCoMo conversations."""
    return _by_session(locomo(folder)[0].turns)


def priced_talks(folder: Path | None) -> dict[str, Talk]:
    """A conversation of each kind, by its name; those of the shared data where that is there.

    The agent's session, the Chinese chat and the short sessions were written for this measure.
    """
    talks = {"an agent's session": _own_talk("agent")}
    if folder is not None and (folder / BEAM_FILE).is_file():
        talks["chat with an assistant"] = _by_session(beam_turns(folder, _BEAM_CHAT))[:1]
    if folder is not None and has_locomo(folder):
        talks["two people"] = locomo_talk(folder)[:_LOCOMO_SESSIONS]
    short = {kind: _own_talk(name) for kind, name in _SHORT.items()}
    return {**talks, "Chinese chat": _own_talk("chinese"), **short}


def concluded_of(kind: str) -> tuple[Concluded, ...]:
    """What a capable model concludes from a conversation of `priced_talks`, where it is written."""
    return load_concluded(_SHORT[kind]) if kind in _SHORT else ()


def _own_talk(name: str) -> Talk:
    lines = (Path(__file__).parent / "talks" / f"{name}.jsonl").read_text("utf-8").splitlines()
    return _by_session([Turn.model_validate_json(line) for line in lines])


def _by_session(turns: Sequence[Turn]) -> Talk:
    return tuple(tuple(own) for _, own in groupby(turns, lambda turn: turn.session_id))

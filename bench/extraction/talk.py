"""Which conversation is played: the demo's, or one of LoCoMo's."""

import json
from collections.abc import Sequence
from importlib import resources
from itertools import groupby
from pathlib import Path

from bench.data import locomo
from memoria import Turn

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


def _by_session(turns: Sequence[Turn]) -> Talk:
    return tuple(tuple(own) for _, own in groupby(turns, lambda turn: turn.session_id))

"""Figures of the documents that the code knows."""

import re

from tests.docs.pages import DOCS, text_of

from memoria.model.memory_types import ARCHIVED_FIRST
from memoria.policy.retention import RETENTION

RETENTION_PAGE = DOCS / "decisions" / "052-retention.md"


def test_the_table_of_retention_is_the_one_in_force() -> None:
    types, _, _ = text_of(RETENTION_PAGE).partition("| what | value |")
    rows = re.findall(r"^\| ([a-z ,]+) \| (\d+|never)[^|]*\| *([\d.]*) *\|", types, re.MULTILINE)
    written = {
        kind.replace(" ", "_"): (None if tau == "never" else float(tau), float(floor or 0))
        for kinds, tau, floor in rows
        for kind in kinds.replace("rule for a task", "task rule").split(", ")
    }
    in_force = {name: (curve.tau, curve.floor) for name, curve in RETENTION.kinds.items()}
    assert {name: in_force.get(name) for name in written} == written
    assert len(written) > len(ARCHIVED_FIRST)


def test_the_bounds_of_retention_are_those_in_force() -> None:
    text = " ".join(text_of(RETENTION_PAGE).split())
    assert f"strength < {RETENTION.kinds['fact'].archive:g};" in text
    assert f"< {RETENTION.demote:g}: mid-term at most; ≤ {RETENTION.review:g}: short-term" in text
    assert f"importance ≥ {RETENTION.promote:g} and used" in text
    assert f"importance ≥ {RETENTION.lasting:g} never fades" in text
    assert f"`active` memories ({RETENTION.active:,})" in text
    first = ", ".join(kind.value.replace("_", " ") for kind in ARCHIVED_FIRST)
    assert first == "episode, tool experience, task outcome, error"
    assert "then episodes, tool experience, task outcomes and errors, and then the weakest" in text

"""Reports of the sources, and their common depth."""

from typing import Literal

from memoria.model import Part, PartReport

DEPTH = 200
"""Number of documents asked of the text, and of the vectors. With 400, LoCoMo's figures over
categories 1 to 4 are within half a point."""
OFF = "switched off"

Source = Part | Literal["recent"]
FoundScores = tuple[dict[int, float], PartReport]
"""Scores by document number, and the report."""


def report_used(part: Source, found: int) -> PartReport:
    """Report that the source served."""
    return PartReport(part=part, state="used", found=found)


def report_off(part: Source) -> PartReport:
    """Report that the source is switched off."""
    return PartReport(part=part, state="off", why=OFF)


def report_idle(part: Source, why: str) -> PartReport:
    """Report that the source had nothing to do."""
    return PartReport(part=part, state="idle", why=why)


def report_missing(part: Source, why: str) -> PartReport:
    """Report that the source could not serve."""
    return PartReport(part=part, state="missing", why=why)

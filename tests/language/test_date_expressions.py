"""Expressions of time are read as the tables say, which were written before they were read at all.

`date_expressions.tsv` begins with what was decided where people differ.
"""

import csv
from pathlib import Path
from typing import cast

import pytest

from memoria.language.dates import Interval, Prefer, find_end, interval
from memoria.model.moments import Zone, parse_instant, parse_offset, to_iso

Row = dict[str, str]
TABLES = sorted(Path(__file__).parent.glob("date_expressions*.tsv"))


def rows(table: Path) -> list[Row]:
    lines = [line for line in table.read_text("utf-8").splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def expected(row: Row) -> Interval | None:
    if row["use"] == "none":
        return None
    start, end = (parse_instant(row[side]) if row[side] else None for side in ("start", "end"))
    return Interval(start, end)


def read(row: Row) -> Interval | None:
    said, zone = parse_instant(row["said_at"]), Zone.from_offset(parse_offset(row["said_at"]) or 0)
    if row["use"] == "until":
        return Interval(None, find_end(row["sentence"], said, zone))
    return interval(row["sentence"], said, zone, prefer=cast("Prefer", row["prefer"]))


def describe(row: Row, found: Interval | None) -> str:
    sides = (found.from_ms, found.until_ms) if found else ()
    shown = [None if side is None else to_iso(side) for side in sides]
    wanted = f"{row['start']} to {row['end']}"
    return f"{row['use']} {row['said_at']} {row['prefer']}: {row['sentence']} {wanted}: {shown}"


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_expression_of_the_table_is_read_as_it_says(table: Path, language: str) -> None:
    own = [row for row in rows(table) if row["language"] == language]
    wrong = [describe(row, read(row)) for row in own if read(row) != expected(row)]
    assert not wrong, f"{len(wrong)} of {len(own)} are read otherwise:\n" + "\n".join(wrong)

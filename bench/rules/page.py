"""The page of rules: what each group is for, its lines, and what is lost without it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypedDict

from bench.rules.groups import GROUPS, MARKED, PLAIN, PROMISED, SEARCHED, Group

WHOLE = "all"
"""The row of a set that nothing is switched off for."""

Found = dict[str, float]
"""What was measured once, by what it is; `of` says of how many."""


class About(TypedDict):
    """What a group was when it was measured."""

    purpose: str
    lines: int


class Figures(TypedDict):
    """All that was measured."""

    groups: dict[str, About]
    sets: dict[str, dict[str, Found]]
    """By set and group."""


def render_page(figures: Figures) -> str:
    """Render the page in Markdown."""
    return "\n".join(_list_lines(figures)) + "\n"


def _list_lines(figures: Figures) -> Iterator[str]:
    sets = figures["sets"]
    asked = {name: found for name, found in sets.items() if "second" in found.get(WHOLE, {})}
    labelled = {name: found for name, found in sets.items() if name not in asked}
    known = {group.name for group in GROUPS}
    gone = {name: each for name, each in figures["groups"].items() if name not in known}
    yield _TOP
    yield from _table(_about(SEARCHED), asked, ("second", "first"))
    yield _MARKS
    yield from _table(_about(MARKED), labelled, ("precision", "recall"))
    yield _PROMISES
    yield from _list_promises()
    yield _GONE
    yield from _table(gone, asked, ("second", "first"))
    yield f"\n{_sum_up()}"


def _about(groups: Iterable[Group]) -> dict[str, About]:
    return {one.name: {"purpose": one.purpose, "lines": one.count_lines()} for one in groups}


def _table(
    groups: Mapping[str, About], sets: Mapping[str, Mapping[str, Found]], kinds: Sequence[str]
) -> Iterator[str]:
    """A row a group: what it is for, its lines, and what each set loses without it."""
    yield f"| rules | lines | {' | '.join(sets)} |"
    yield f"|---|---:|{'---:|' * len(sets)}"
    whole = (_tell(found.get(WHOLE), kinds) for found in sets.values())
    yield f"| *with all* | | {' | '.join(whole)} |"
    for name, about in groups.items():
        cells = (_tell_loss(found, name, kinds) for found in sets.values())
        yield f"| **{name}**: {about['purpose']} | {about['lines']:,} | {' | '.join(cells)} |"


def _list_promises() -> Iterator[str]:
    yield "| rules | lines |"
    yield "|---|---:|"
    for group in (*PROMISED, *PLAIN):
        yield f"| **{group.name}**: {group.purpose} | {group.count_lines():,} |"


def _tell(found: Found | None, kinds: Sequence[str]) -> str:
    return "–" if found is None else " / ".join(_plain(found[kind]) for kind in kinds)


def _tell_loss(of_set: Mapping[str, Found], name: str, kinds: Sequence[str]) -> str:
    whole, without = of_set.get(WHOLE), of_set.get(name)
    if whole is None or without is None:
        return "–"
    return " / ".join(_signed(whole[kind] - without[kind]) for kind in kinds)


def _signed(value: float) -> str:
    if not round(value, 3):
        return "0"
    return ("+" if value > 0 else "−") + _plain(abs(value))


def _plain(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _sum_up() -> str:
    total = sum(group.count_lines() for group in GROUPS)
    return f"Lines of `policy`, `text` and `retrieval/query`: {total:,}."


_TOP = """\
# Rules of language

What each group of rules is for, its lines, and what is lost without it. Rules of language only
select, mark and rank turns, which are shown as they were said. Made by

```sh
python -m bench.rules --held FOLDER          # the cases that others wrote
python -m bench.rules --write docs/rules.md
```

Pairs, wordless, wishes, requests, remarks and the fortnight were written by people who had seen
neither the rules nor their examples; in a home each has 200 turns of other talk around it. The
others are public sets.

## What a search uses

The share of gold among the first ten turns of the second level / that the first level tells in 700
tokens; then what is lost of it without a group. Below zero, the set does better without.
"""
_MARKS = """
## What a turn is marked by

Precision / recall of the marks against labels of others, and what is lost of it without a group.
"""
_PROMISES = """
## What a promise rests on

Their worth is told by the tests of the [guarantees](guarantees.md), not by questions.
"""
_GONE = """
## What is gone

These did not earn their lines on two sets. Where nothing was measured, the rules made memories,
replaced them or told what the user works on, which no rule does any more.
"""

"""The page of rules: what each group is for, its lines, and what is lost without it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NotRequired, TypedDict

from bench.rules.groups import GROUPS, MARKED, PLAIN, PROMISED, SEARCHED, Group, count_lines

WHOLE = "all"
"""The row of a set that nothing is switched off for."""

_ASKED, _LABELLED = ("second", "first"), ("precision", "recall")
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
    remark: NotRequired[str]
    """What has to be known of the figures, such as which are of another version."""


def render_page(figures: Figures, gone: Figures) -> str:
    """Render the page in Markdown.

    Args:
        figures: what was measured of the rules that are there.
        gone: what was measured of those that are not, before they went.
    """
    return "\n".join(_list_lines(figures, gone)) + "\n"


def _list_lines(figures: Figures, gone: Figures) -> Iterator[str]:
    yield _TOP
    yield from _table(_about(SEARCHED), figures["sets"], _ASKED)
    if remark := figures.get("remark"):
        yield f"\n{remark}"
    yield _MARKS
    yield from _table(_about(MARKED), figures["sets"], _LABELLED)
    yield _PROMISES
    yield from _list_promises()
    yield _GONE
    marked = {name for found in _pick_sets(gone["sets"], _LABELLED).values() for name in found}
    searched = {name: about for name, about in gone["groups"].items() if name not in marked}
    yield from _table(searched, gone["sets"], _ASKED)
    yield _GONE_MARKS
    marks = {name: about for name, about in gone["groups"].items() if name in marked}
    yield from _table(marks, gone["sets"], _LABELLED)
    yield f"\n{_sum_up()}"


def _pick_sets(
    sets: Mapping[str, Mapping[str, Found]], kinds: Sequence[str]
) -> dict[str, Mapping[str, Found]]:
    """The sets of which something of these kinds was measured."""
    return {name: found for name, found in sets.items() if kinds[0] in found.get(WHOLE, {})}


def _about(groups: Iterable[Group]) -> dict[str, About]:
    return {one.name: {"purpose": one.purpose, "lines": one.count_lines()} for one in groups}


def _table(
    groups: Mapping[str, About], sets: Mapping[str, Mapping[str, Found]], kinds: Sequence[str]
) -> Iterator[str]:
    """A row a group: what it is for, its lines, and what each set loses without it."""
    sets = _pick_sets(sets, kinds)
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
    files = {file for group in GROUPS for file in group.list_files()}
    total = sum(map(count_lines, files))
    return (
        f"Lines of `language`, `policy` and `retrieval/query`: {total:,}; groups share some files."
    )


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

These did not earn their lines on two sets, measured when they were there. Where nothing was
measured, the rules made memories, replaced them or told what the user works on, which no rule does
any more.
"""
_GONE_MARKS = """
And of the marks:
"""

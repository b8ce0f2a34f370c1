"""A scripted reader: chooses as a sensible but credulous coding agent would, from lines alone."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from bench.value import wording
from bench.value.wording import tokens

__all__ = [
    "ASK",
    "MAX_LINES",
    "MAX_TOKENS",
    "Choice",
    "Decision",
    "Option",
    "choose",
    "read",
    "tokens",
]

ASK: Final = "ASK"
MAX_LINES: Final = 12
MAX_TOKENS: Final = 1500
TITLE: Final = 60  # characters; a longer line that ends with a colon is no title
_SIGN: Final = {
    "bad": -1,
    "hard": -1,
    "soft": -1,
    "past": -1,
    "good": 1,
    "use": 1,
    "lean": 1,
    "": 0,
}


@dataclass(frozen=True)
class Option:
    """One thing that can be done at a decision; the lowest rank is done without any memory."""

    key: str
    action: str
    words: tuple[str, ...] = ()
    default_rank: int = 0


@dataclass(frozen=True)
class Decision:
    """A point of a task at which one of the options is chosen."""

    task: str
    question: str
    options: tuple[Option, ...]
    may_ask: bool = False


@dataclass(frozen=True)
class Choice:
    """What was chosen, after which line, and what reading cost.

    `checked`: the line was marked as changed, gone or superseded, so the truth was looked up;
    count one step more and take the true answer in the place of `key`.
    """

    key: str
    because: str = ""
    checked: bool = False
    lines: int = 0
    tokens: int = 0


@dataclass(frozen=True)
class Evidence:
    """A line's word on one option: 1 for, -1 against, 0 only names it."""

    option: str
    sign: int
    line: str
    order: int
    day: int | None
    stale: bool
    foreign: bool
    topical: bool


@dataclass(frozen=True)
class Mark:
    """A place in a line: of the options named there, or of a cue of some kind."""

    start: int
    end: int
    options: tuple[str, ...] = ()
    kind: wording.Kind = "none"


def read(shown: Iterable[str]) -> tuple[list[str], int]:
    """Return the lines that are read before patience or room ends, and their tokens."""
    lines: list[str] = []
    spent = count = 0
    for raw in (part.strip() for text in shown for part in text.splitlines()):
        if not re.search(r"\w", raw):
            continue
        if count == MAX_LINES or spent >= MAX_TOKENS:
            break
        count += not _heading(raw)
        cost = tokens(raw)
        room = MAX_TOKENS - spent
        lines.append(raw if cost <= room else raw[: len(raw) * room // cost])
        spent += min(cost, room)
    return lines, spent


def choose(decision: Decision, shown: Sequence[str]) -> Choice:
    """Choose as one would who has only these lines and takes them at their word."""
    lines, spent = read(shown)
    ranked = sorted(decision.options, key=lambda option: option.default_rank)
    verdict: dict[str, Evidence] = {}
    for item in _in_order(list(_evidence(decision, ranked, lines))):
        verdict.setdefault(item.option, item)
    unaided = Choice(ASK if decision.may_ask else ranked[0].key, lines=len(lines), tokens=spent)
    for item in verdict.values():
        if item.sign > 0 or (item.sign == 0 and (item.topical or not decision.may_ask)):
            return replace(unaided, key=item.option, because=item.line, checked=item.stale)
    against = [item for item in verdict.values() if item.sign < 0]
    left = [option.key for option in ranked if option.key not in {item.option for item in against}]
    if not against or not left or (decision.may_ask and len(left) > 1):
        return unaided
    if left[0] == ranked[0].key and len(left) > 1:
        return unaided  # What it would have done anyway.
    why = next((item for item in against if item.option == ranked[0].key), against[0])
    return replace(unaided, key=left[0], because=why.line, checked=why.stale)


def _in_order(found: list[Evidence]) -> list[Evidence]:
    """Sort by what is believed first: of this project, clear, not stale; newest; first shown."""
    tiers: dict[tuple[bool, int, bool], list[Evidence]] = {}
    for item in found:
        vague = 0 if item.sign or (item.topical and item.day) else 1 if item.topical else 2
        tiers.setdefault((item.foreign, vague, item.stale), []).append(item)
    made: list[Evidence] = []
    for _, tier in sorted(tiers.items()):
        # The dated change places among themselves; those without a date keep theirs.
        newest = iter(sorted((e for e in tier if e.day), key=lambda e: (-(e.day or 0), e.order)))
        made += [next(newest) if item.day else item for item in tier]
    return made


def _evidence(
    decision: Decision, ranked: Sequence[Option], lines: Sequence[str]
) -> Iterator[Evidence]:
    """Yield what each line says of each option that it names."""
    names = _names(ranked)
    about = f"{decision.task} {decision.question}"
    latest = max((wording.day(line, 0) or 0 for line in lines), default=0)
    asked = {match.lower() for match in wording.TOPICS.findall(about)}
    section, old = 0, False
    for order, raw in enumerate(lines):
        stale = bool(wording.STALE.search(raw))
        line = wording.FRESH.sub(" ", wording.STALE.sub(" ", raw)).replace("’", "'")
        signs = _signs(line, names, asked)
        if _heading(raw) and not signs:
            section, old = _lone_sign(_cues(line, 0)), stale
            continue
        if not any(signs.values()):
            signs = dict.fromkeys(signs if section else list(signs)[-1:], section)
        topical = bool(_content(line, names) & _content(about, names))
        day = wording.day(line, latest)
        for key, sign in signs.items():
            yield Evidence(
                key, sign, raw, order, day, stale or old, wording.foreign(line, about), topical
            )


def _names(ranked: Sequence[Option]) -> list[tuple[re.Pattern[str], str]]:
    """Return a pattern for each name of each option, the longest name first."""
    pairs = {(word.strip(), o.key) for o in ranked for word in (o.action, *o.words) if word.strip()}
    pairs |= {(word, ranked[0].key) for word in wording.THIS}
    made = []
    for word, key in sorted(pairs, key=lambda pair: (-len(pair[0]), pair)):
        body = r"\s+".join(re.escape(part) for part in word.split())
        before = r"(?<![A-Za-z0-9_])(?<![A-Za-z0-9_]-)" if word[0].isascii() else ""
        after = r"(?![A-Za-z0-9_]|-[A-Za-z0-9_])" if word[-1].isascii() else ""
        after += r"(?!\.\d)" if word[-1].isdigit() else ""
        made.append((re.compile(before + body + after, re.IGNORECASE), key))
    return made


def _mentions(line: str, names: Sequence[tuple[re.Pattern[str], str]]) -> list[Mark]:
    """Find where options are named; a longer name hides the shorter ones inside it."""
    found: dict[tuple[int, int], list[str]] = {}
    for pattern, key in names:
        for match in pattern.finditer(line):
            start, end = match.span()
            if not any(a <= start and end <= b and (a, b) != (start, end) for a, b in found):
                found.setdefault((start, end), []).append(key)
    return [Mark(a, b, tuple(dict.fromkeys(keys))) for (a, b), keys in sorted(found.items())]


def _cues(text: str, start: int) -> list[Mark]:
    """Find the cue words of a clause that starts there in its line."""
    made = []
    for match in wording.CUE.finditer(text):
        kind = wording.CUES[int((match.lastgroup or "k0")[1:])][0]
        made.append(Mark(start + match.start(), start + match.end(), kind=kind))
    return [mark for mark in made if mark.kind != "none"]


def _lone_sign(cues: Sequence[Mark]) -> int:
    """Return what cues say of something that is not in their clause."""
    signs = [_SIGN[cue.kind] for cue in cues if cue.kind in _SIGN and cue.kind != "past"]
    return -1 if any(cue.kind == "hard" for cue in cues) else signs[-1] if signs else 0


def _hide(line: str, mentions: Sequence[Mark], asked: Set[str]) -> str:
    """Blank names and the question's own nouns: they are neither cues nor ends of clauses."""
    for mark in mentions:
        line = line[: mark.start] + "\0" * (mark.end - mark.start) + line[mark.end :]
    line = re.sub(r"[`'\"“”*]+(?=\0)|(?<=\0)[`'\"“”*]+", lambda m: " " * len(m[0]), line)
    line = re.sub(r"\0( +)(?=[,，])", lambda m: "\0" * len(m[0]), line)
    return wording.TOPICS.sub(lambda m: "x" * len(m[0]) if m[0].lower() in asked else m[0], line)


def _signs(
    line: str, names: Sequence[tuple[re.Pattern[str], str]], asked: Set[str] = frozenset()
) -> dict[str, int]:
    """Read what a line says of each option: the last word on each counts."""
    line = wording.told(line)
    mentions = _mentions(line, names)
    line = _hide(line, mentions, asked)
    signs: dict[str, int] = {}
    last: tuple[str, ...] = ()
    carried = pending = start = 0
    sep = ""
    for stop, after in [*(m.span() for m in wording.SPLIT.finditer(line)), (len(line), len(line))]:
        clause, reason, sep = line[start:stop], sep in wording.REASONS, line[stop:after].lower()
        here = [mark for mark in mentions if start <= mark.start < stop]
        cues = _cues(clause, start)
        if here and wording.IF.match(clause):
            return signs | {key: 0 for mark in here for key in mark.options}
        if here:
            if cues and cues[0].kind == "turn" and cues[0].start < here[0].start:
                signs |= dict.fromkeys(last, -1)
            for mark, sign in zip(here, _clause(clause, start, here, cues), strict=True):
                signs |= {key: sign or signs.get(key) or carried for key in mark.options}
            last, pending = here[-1].options, 0
        elif cues:
            pending = _lone_sign(cues) or pending
            if sep not in wording.COLONS:
                _look_back(clause, start, cues, last, signs, reason)
        carried = (carried or pending) if sep in wording.COLONS else carried
        if sep in wording.STOPS:
            carried = pending = 0
        start = after
    return signs


def _look_back(
    clause: str,
    start: int,
    found: Sequence[Mark],
    last: Sequence[str],
    signs: dict[str, int],
    reason: bool,
) -> None:
    """Apply a clause without names to the options named last: "..., it failed"."""
    judged = [cue for cue in found if cue.kind in {"bad", "good"}]
    first = (judged or found)[0]
    led = wording.LEAD.fullmatch(clause[: first.start - start]) is not None
    short = first.kind == "hard" and wording.IT.fullmatch(clause[first.end - start :]) is not None
    for key in last:
        if judged and (led or not (signs[key] or reason)):
            signs[key] = _lone_sign(judged)
        elif led and short:
            signs[key] = -1


def _clause(clause: str, start: int, here: Sequence[Mark], cues: Sequence[Mark]) -> list[int]:
    """Return a sign for each mention of a clause, from the cues before and after it."""
    sure, after = [0] * len(here), [0] * len(here)
    before = [""] * len(here)
    for cue in cues:
        left = sum(mark.start < cue.start for mark in here) - 1
        has_right = left + 1 < len(here)
        if cue.kind in {"over", "turn"}:
            sign = 1 if cue.kind == "over" else -1
            arrow = clause[cue.start - start : cue.end - start] in {"->", "=>", "→"}
            if left >= 0 and (has_right or not arrow):
                sure[left] = sure[left] or sign
            if has_right:
                sure[left + 1] = -sign
        elif cue.kind in {"bad", "good"}:
            after[max(left, 0)] = _SIGN[cue.kind]
        elif has_right:
            if not before[left + 1] or cue.kind in {"hard", "soft"}:
                before[left + 1] = cue.kind
        elif cue.kind == "hard" or (cue.kind == "use" and not after[left] and not before[left]):
            after[left] = _SIGN[cue.kind]
    _share(clause, start, here, sure, before, after)
    return [
        s or (-1 if b in {"hard", "soft"} else a or _SIGN[b])
        for s, b, a in zip(sure, before, after, strict=True)
    ]


def _share(
    clause: str,
    start: int,
    here: Sequence[Mark],
    sure: list[int],
    before: list[str],
    after: list[int],
) -> None:
    """Give what is said of one name of a list ("a, b or c") to the others of it."""
    ends = [*(mark.start for mark in here[1:]), start + len(clause)]
    gaps = [clause[mark.end - start : end - start] for mark, end in zip(here, ends, strict=True)]
    joined = [wording.COORD.fullmatch(gap) is not None for gap in gaps]
    for n in range(len(here) - 1):
        # "not a, b is better" is no list; "not a, b or c" and "not a or b is" are.
        listed = gaps[n].strip() not in {",", "，"} or joined[n + 1]
        if joined[n] and listed and not before[n + 1]:
            before[n + 1], sure[n + 1] = before[n], sure[n + 1] or sure[n]
    for n in reversed(range(len(here) - 1)):
        if joined[n] and not before[n] and not after[n]:
            after[n] = after[n + 1]


def _heading(line: str) -> bool:
    """Tell whether a line is a title of the lines below it."""
    return bool(re.match(r"#{1,6}\s", line)) or (len(line) <= TITLE and line[-1] in ":：")


def _content(text: str, names: Sequence[tuple[re.Pattern[str], str]]) -> set[str]:
    """Return the words of a text, or pairs of Chinese characters, without names of options."""
    for pattern, _ in names:
        text = pattern.sub(" ", text)
    return {m[0] + (m[1] or "") for m in wording.WORD.finditer(text.lower())} - wording.STOP

"""Labels: what tells one of several things of a kind, times or people from the others.

Chapter 3 and chapter 4 have a number of exercises each, last month and this one have shifts, and
my boss and my mother have birthdays: neither is the other one anew.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

from memoria.policy.people import find_people
from memoria.policy.people.kinship import PersonMatch
from memoria.policy.people.persons import compare_people
from memoria.policy.updates.numerals import read_numeral
from memoria.policy.updates.words import PlacedWord
from memoria.text.pattern import LazyPattern
from memoria.text.remembered import remember_results

_CACHED = 1024


class Stated(Protocol):
    """Something that a turn states."""

    @property
    def text(self) -> str:
        """The sentence or clause it stands in."""
        ...

    @property
    def around(self) -> Sequence[PlacedWord]:
        """The telling words of that, in their order."""
        ...


def are_of_two(question: str, words: frozenset[str], new: Stated, old: Stated) -> bool:
    """Whether two statements are of two things of a kind, two times or two people.

    Args:
        question: what is asked.
        words: its telling words.
        new: the later statement.
        old: the earlier one.
    """
    return (
        _have_other_labels(new.text, old.text)
        or _have_other_times(question, new.text, old.text)
        or _have_other_people(new.text, old.text)
        or _names_other(words, new.around, old.around)
    )


def _have_other_labels(new: str, old: str) -> bool:
    """Whether two sentences speak of two things that a number tells apart: room 12 and room 14."""
    others = _read_labels(new)
    return any(
        thing in others and not others[thing] & numbers
        for thing, numbers in _read_labels(old).items()
    )


def _have_other_times(question: str, new: str, old: str) -> bool:
    """Whether only the older of two sentences is of the time that a question names."""
    lacking = _read_times(question) & _read_times(old) - _read_times(new)
    return bool(lacking and _read_times(new) - _read_times(old))


def _have_other_people(new: str, old: str) -> bool:
    """Whether it is plain that two sentences speak of two people."""
    return compare_people(find_people(old), find_people(new)) is PersonMatch.OTHER


def _names_other(
    asked: frozenset[str], new: Sequence[PlacedWord], old: Sequence[PlacedWord]
) -> bool:
    """Whether the question names one of two things, of which only the older words tell.

    "The staging server" is what is asked for, and the later words are of the production server.
    """
    known = frozenset(one.stem for one in old)
    lacking = known & asked - frozenset(one.stem for one in new)
    if not lacking:
        return False
    others = [one for one in new if one.is_name and one.stem not in known | asked]
    if others and any(one.is_name and one.stem in lacking for one in old):
        return True
    before = {one.stem: one.before for one in new}
    return any(
        one.before in lacking and before.get(one.stem) and before[one.stem] not in known
        for one in old
    )


@remember_results(_CACHED)
def _read_labels(text: str) -> dict[str, frozenset[str]]:
    """By kind of thing the numbers that it is named by."""
    found: dict[str, set[str]] = defaultdict(set)
    for match in _LABEL.regex.finditer(text):
        kind, number = match["kind"] or match["kind_zh"], match["number"] or match["number_zh"]
        found[kind.lower()].add(read_numeral(number.lower()))
    for subject in _SUBJECTS:
        if named := subject.regex.match(text):
            found[named["kind"].lower()].add(named["number"])
    return {kind: frozenset(numbers) for kind, numbers in found.items()}


@remember_results(_CACHED)
def _read_times(text: str) -> frozenset[str]:
    return frozenset(match[0].lower() for match in _TIME.regex.finditer(text))


_LABEL = LazyPattern(
    r"(?i)\b(?P<kind>chapter|room|class|sprint|unit|lesson|table|line|route|gate|phase|part|section|question|item"
    r"|ticket|issue|level|grade|batch|step|team|group|bed|act|scene|stage|round|module|exercise|problem)"
    r"\s#?(?P<number>\d{1,3}[a-z]?)\b(?![.,]?\d)"
    r"|(?P<number_zh>\d+|[一二三四五六七八九十]+)(?P<kind_zh>床(?!位)|单元|班|组|期|章|年级"
    r"|号(?:会议室|教室|办公室|服务器|机|楼|线|门|桌|车|柜|库|店|厅|院|馆|病房|出口|窗口))"
)
_SUBJECTS = (
    LazyPattern(
        r"""(?xi)\W*(?:the\s)?(?!\w+ed\b|(?:ran|got|did|made|had|read|won|lost|hit|saw|took|ate)\b)
          (?P<kind>[a-z]{3,})\s(?:(?:number|no\.)\s|\#)?(?P<number>\d{1,6})
          \s(?:is|was|has|had|will|can|must|should|runs|goes|leaves|departs|arrives|stops|starts|opens
            |closes|costs|takes|needs|uses|holds|seats|listens|serves|sits|belongs|stands)\b"""
    ),
    LazyPattern(r"(?i)\W*the\s(?P<number>\d{1,4})\s(?P<kind>bus|tram|train|ferry|flight)\b"),
)
"""What a sentence is about, where a number tells it from others: "Server 12 runs on port 8080"."""
_TIME = LazyPattern(
    r"""(?xi)\b(?:last|this|next)\s(?:week|month|year|quarter|term|season|spring|summer|autumn|fall|winter|night)\b
      |\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b
      |\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:19|20)\d\d\b|\b(?:yesterday|today|tomorrow|morning|noon|afternoon|evening)\b
      |[上这下本]个?(?:月|周|星期|年|学期|季度)|[去今明前]年|\d{1,2}月|(?:周|星期)[一二三四五六日天]|[昨今明前]天|[早晚]上|[上中下]午|凌晨"""
)

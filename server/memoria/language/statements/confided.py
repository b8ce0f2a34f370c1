"""Confided text: the condition on which a speaker tells something, in their own words.

What is told in confidence ("don't tell anyone", 别告诉别人) may be found by who asks, with its
condition, and is told to nobody who has not asked. What is not to be kept at all ("keep this
nowhere", 当我没说) is in no answer. `withheld` has further ways
to ask for that.

A request means what stands beside it. One that stands alone ("Please keep that to yourself."), or
that says so ("what I just told you stays between us"), means what its speaker said before.
"""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.pattern import has_any, small_letters
from memoria.language.reading.own_words import BLOT, blot_foreign_text
from memoria.language.remembered import remember_results
from memoria.language.statements.confided_words import (
    FORGET,
    NOWHERE,
    OF_BEFORE,
    OTHERWISE,
    REQUEST_ALONE,
    SECRET,
    SILENCE,
    SILENCE_NAMED,
    SILENCE_ZH,
    TAKEN_BACK,
)
from memoria.language.statements.other_times import is_for_other_times
from memoria.language.statements.retold import retell_as_user
from memoria.language.statements.withheld import asks_not_to_remember, is_told_aside
from memoria.language.words.analyser import query_terms
from memoria.model.condition import Condition


class StatedCondition(NamedTuple):
    """The condition that a turn states."""

    condition: Condition
    of_before: bool
    """True if it is meant of what its speaker said before."""


_MOST_CHARS = 20_000
"""Length beyond which a text is a file or pasted, and is not read."""
_ALL = (TAKEN_BACK, NOWHERE, SILENCE, SECRET, SILENCE_ZH, OF_BEFORE, REQUEST_ALONE)
_SENTENCES = lazy_regex(r"[.!?。！？；;\n]+")
_SIGNS = (
    *("tell", "secret", "confiden", "between", "yourself", "stays", "stay ", "word", "know"),
    *("told", "n't", "n’t", "dont", "not ", "never", "no ", "nowhere", "forget", "record"),
    *("without", "stop", "avoid", "quiet", "wraps", "pretend", "erase", "delete", "remove"),
    *("private", "hush", "need", "trust", "shh", "only", "just", "nothing"),
    *("out of", "off", "leave", "public"),
    *"别 不 密 悄 偷 私 之间 只跟 只和 只对 就跟 就和 就对 告诉 没 勿 知我 瞒".split(),
    *"肚子 无需 无须 甭 忘 知道".split(),
)
"""Word parts; every text that states a condition has one of them."""
_FILLERS = frozenset(
    query_terms(
        "please ok okay thanks thank you just really yet now still promise again so sorry oh"
        " actually 请 好吗 谢谢 哦 啊 吧 拜托 一定 千万 这件事 这个 你 您 了 好 的 也 就 都 我 先"
    )
)


@remember_results(256)
def read_condition(text: str) -> StatedCondition | None:
    """Return the condition on which a speaker tells what a text says, or None."""
    if len(text) > _MOST_CHARS or not has_any(small_letters(text), _SIGNS):
        return None
    own = blot_foreign_text(text)
    condition = _find_condition(own)
    if condition is None:
        return None
    is_alone = not _tells_more(own)
    takes_back = condition is Condition.WITHHELD and TAKEN_BACK.search(own) is not None
    of_before = is_alone or takes_back or OF_BEFORE.search(own) is not None
    return StatedCondition(condition, of_before)


def read_condition_of_statement(statement: str) -> Condition | None:
    """Return the condition that a memory states, in the user's words or in an agent's of them."""
    read = map(read_condition, (statement, retell_as_user(statement)))
    return max((one.condition for one in read if one), key=tuple(Condition).index, default=None)


def asks_to_forget(text: str) -> bool:
    """Return whether a text names something told earlier that is to be forgotten."""
    if len(text) > _MOST_CHARS:
        return False
    own = blot_foreign_text(text)
    return FORGET.search(own) is not None and TAKEN_BACK.search(own) is None


def _find_condition(own: str) -> Condition | None:
    """Return the strictest condition that a text states, or None."""
    said = [one for one in _SENTENCES.split(own) if one.strip()]
    if any(pattern.search(one) for one in said for pattern in (TAKEN_BACK, NOWHERE)):
        return Condition.WITHHELD
    if asks_not_to_remember(own):
        return Condition.CONFIDED if is_told_aside(own) else Condition.WITHHELD
    asked = (one for one in said if not OTHERWISE.search(one))
    return Condition.CONFIDED if any(map(_is_confided, asked)) else None


def _is_confided(sentence: str) -> bool:
    patterns = (SILENCE, SECRET) if sentence.isascii() else (SILENCE, SECRET, SILENCE_ZH)
    found = chain(
        SILENCE_NAMED.regex.finditer(sentence), *(one.finditer(sentence) for one in patterns)
    )
    return any(not is_for_other_times(sentence, one) for one in found)


def _tells_more(own: str) -> bool:
    """Return whether a text tells something beside its request."""
    rest = own.replace(BLOT, "")
    for start, end in sorted(_requests_in(rest), reverse=True):
        rest = f"{rest[:start]} {rest[end:]}"
    return BLOT in own or not _FILLERS.issuperset(query_terms(rest))


def _requests_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans in which a text states a condition, in their order; none overlap."""
    spans = sorted(match.span() for pattern in _ALL for match in pattern.finditer(text))
    end = 0
    for start, until in spans:
        if until > end:
            yield max(start, end), until
            end = until

"""Asked: which kind of amount a question wants as it is now, and of what.

A question wants none that asks whether something is so, how things were or have changed, or that
sets two times beside each other: each of those has two amounts for an answer, or none.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from memoria.policy.updates.amounts import KINDS, Amount, AmountKind, read_unit_zh
from memoria.policy.updates.words import words_of
from memoria.text.pattern import LazyPattern
from memoria.text.remembered import remember_results

_COUNTED = 3
"""Words behind "how many" that may say what is counted."""


@dataclass(frozen=True, slots=True)
class AskedAmount:
    """What kind of amount a question wants; no kind where it wants none."""

    kinds: frozenset[AmountKind] = frozenset()
    unit: frozenset[str] = frozenset()
    is_whether: bool = False
    """Whether it asks if something is so: then both sides of a contradiction are its answer."""
    is_open: bool = False
    """Whether it asks what, where or who, and no kind of amount: any may be the answer, or none."""

    def select(self, amounts: Iterable[Amount]) -> list[Amount]:
        """The amounts that may be what is asked for; a number of nothing may be a version."""
        if "version" in self.kinds:
            amounts = (
                replace(one, kind="version", unit=frozenset())
                if one.kind == "count" and ("." in one.value or not one.unit)
                else one
                for one in amounts
            )
        return [one for one in amounts if self._is_met_by(one)]

    def _is_met_by(self, amount: Amount) -> bool:
        if amount.kind not in self.kinds:
            return False
        return amount.kind != "count" or not (
            self.unit and amount.unit and self.unit.isdisjoint(amount.unit)
        )


@remember_results(64)
def read_asked_amount(question: str) -> AskedAmount:
    """Which kind of amount a question wants as it is now."""
    if _is_whether(question):
        return AskedAmount(is_whether=True)
    if _OF_THEN.regex.search(question):
        return AskedAmount()
    kinds: set[AmountKind] = set()
    for pattern, asked in _KINDS:
        if pattern.regex.search(question):
            kinds |= asked
    is_open = not kinds and _is_open(question)
    unit: frozenset[str] = frozenset()
    for match in _HOW_MANY.regex.finditer(question):
        if match["what"]:
            unit |= words_of(" ".join(match["what"].split()[:_COUNTED]))
        else:
            unit |= read_unit_zh(match["what_zh"])
    return AskedAmount(_ANY_KIND if is_open else frozenset(kinds), unit, is_open=is_open)


def _is_whether(question: str) -> bool:
    """Whether a question is to be answered by yes or no."""
    if _TASTE.regex.search(question):
        return True
    return bool(_WHETHER.regex.search(question)) and not _WH_WORD.regex.search(question)


def _is_open(question: str) -> bool:
    """Whether a question asks for one thing on record, and not for advice, a summary or a list."""
    return bool(_ONE_THING.regex.search(question)) and not _ADVICE.regex.search(question)


_ANY_KIND = frozenset(KINDS) - {"date", "weekday", "clock"}
"""Times are told with anything, and are no answer where none is asked for."""
_OF_THEN = LazyPattern(
    r"""(?xi)\b(?:between|passed|across|apart|differen(?:t|ce)|compared?|evol\w+|(?:the|its|full|whole)\shistory|history\sof|originally|initially|previous(?:ly)?
      |former(?:ly)?|earlier|used\sto|in\sthe\spast|over\stime|back\sthen|at\sfirst|(?:happened|came|was|were|did)\sfirst
      |first\s(?:time|said|say|told|tell|planned|mention(?:ed)?|set)|before\s(?:it|that|the\schange)|from\sthe\s(?:start|beginning)
      |in\s(?:what|which)\sorder|how\s(?:do|did|can|could|should|would|might|has|have|was|were|to)|how\s(?:did|has|have)\b.*\bchanged?|how\s(?:many|much|long|far|often|fast)\b.*\bdid
      |when\s(?:did|was|were)|(?:how|what)\s.*\bchanges?\b)\b
    |以前|之前|从前|原来|原本|原先|曾经?|过去|最初|一开始|起初|变化|变过|相差|之间|历史|什么时候[^，。？?]{1,12}[的了过]"""
)
_WHETHER = LazyPattern(
    r"(?i)^\W*(?:(?:so|and|but|hey|ok|okay|well|also)\W+)?(?:have|has|had|do|does|did|is|are|was|were|am|(?:can|could|should|would|will)(?!\syou))\b"
    r"|[吗嘛]\W*$|是不是|有没有|是否"
)
_TASTE = LazyPattern(r"(?i)^\W*how\s(?:do|does)\s(?:\w+\s){1,3}(?:feel|like)\b")
"""Asks whether somebody likes a thing."""
_WH_WORD = LazyPattern(r"(?i)\b(?:what|when|which|how|where|who)\b|多少|几|什么|何时|哪|谁|怎么")
_ONE_THING = LazyPattern(
    r"(?i)^\W*(?:(?:so|and|but|hey|ok|okay|well|also|in|at|on|with|for|to|from)\W+)?(?:what|which|where|who)\b"
    r"(?!\s(?:\w+\s){0,2}\w+[^s\W]s\s(?:are|do|did|have|were|can|should|would|might|could)\b)|什么|哪|谁"
)
"""Not "what libraries have I": of several things none is out of date because of another."""
_ADVICE = LazyPattern(
    r"(?i)\b(?:you|should|suggest\w*|recommend\w*|advi[cs]e|summar\w+|list|steps)\b|建议|推荐|总结|哪些|应该|为什么"
)
_HOW_MANY = LazyPattern(
    r"(?i)\bhow many\s(?P<what>[^?.,;]+)|(?:多少|几)(?P<what_zh>[\u3400-\u9fff]{1,4})"
)
_KINDS: tuple[tuple[LazyPattern, frozenset[AmountKind]], ...] = (
    (
        LazyPattern(
            r"(?i)\bhow (?:many|long|often|big|large|far|old|fast)\b|\b(?:number|count|total|amount|quota|limit|target|size|length|average|duration|time)\b"  # noqa: E501
            r"|多少|几|多久|多[长大远快重高]|数量|总数|目标|字数|时长|限额"
        ),
        frozenset({"count"}),
    ),
    (
        LazyPattern(
            r"(?i)\bwhen\b|\btime\b|\b(?:what|which)\s(?:time|date|day)\b|\b(?:deadline|due|scheduled?|appointment|date)\b"
            r"|什么时候|何时|几[点号月]|哪[天日一]|星期几|周几|日期|截止|期限|时间"
        ),
        frozenset({"date", "weekday", "clock"}),
    ),
    (
        LazyPattern(
            r"(?i)\b(?:percent(?:age)?|accuracy|coverage|rate|score|share|grade)\b|%|比例|百分|准确率|正确率|覆盖率|成绩|分数|率"
        ),
        frozenset({"percent", "score"}),
    ),
    (
        LazyPattern(
            r"(?i)\bhow much\b|\b(?:cost|price|salary|budget|pay|rent|fee|wage|offer)\b"
            r"|多少钱|价格|工资|薪水|预算|房租|费用|月薪|年薪"
        ),
        frozenset({"money", "count"}),
    ),
    (LazyPattern(r"(?i)\bversion\b|版本"), frozenset({"version"})),
)

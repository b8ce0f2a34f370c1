"""Pasted text: the parts of a message that its speaker only presents and does not say.

A mail to be answered, a page to be summed up, a chat, a file, code: nothing that stands in them is
the speaker's own word. They are told by what is around them, never by what they say: a fence, tags,
quotation signs, rules of dashes, headers of a mail, a salutation, lines of a chat, or a lead-in
that hands a text over ("Please reply to this email:", 帮我翻译下面这段话：). A blank line alone
tells nothing, for people write paragraphs.

What is closed by a sign of its own ends there. What only has a beginning reaches to the end of the
message, unless a rule of dashes follows and then words that take up the talk again ("By the way, I
prefer …", 对了，…). When in doubt a text counts as pasted: it can still be found, and whoever means
it says it once more.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import has_any, remember_results
from memoria.language.reading.fences import Span, join_spans, pair_tags
from memoria.language.reading.lead_ins import (
    find_lead_in,
    is_of_ones_own,
    may_present,
    points_above,
    takes_up_again,
)

_MOST_TO_READ = 200_000
_LEAST_CHAT = 2
_BETWEEN = 2
_LEAST_ITEMS = 4
"""Number of items from which a list counts as pasted, if nothing says whose list it is."""


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


@remember_results(4)
def find_pasted_spans(text: str) -> tuple[Span, ...]:
    """Find the parts of a text that its speaker presents, in their order; none overlap."""
    found = [*pair_tags(_TAG, text)] if "<" in text else []
    if has_any(text, _FENCES):
        found += [match.span() for match in _FENCE.finditer(text)]
    if len(text) <= _MOST_TO_READ and may_present(text):
        found += _Reader(text, join_spans(found)).read()
    return join_spans(found)


def is_pasted(quote: str, text: str) -> bool:
    """Check whether the words of a quote stand in pasted parts of a text only."""
    spans = find_pasted_spans(text)
    if not spans or not quote:
        return False
    places = [match.start() for match in re.finditer(re.escape(quote), text)]
    return bool(places) and all(any(a <= place < b for a, b in spans) for place in places)


def own_part(text: str) -> str:
    """Return a text without what its speaker presents."""
    edges = [0, *chain.from_iterable(find_pasted_spans(text)), len(text)]
    return "\n".join(text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2))


class _Reader:
    """Goes through the lines of a message and finds where something is presented."""

    def __init__(self, text: str, closed: tuple[Span, ...]) -> None:
        """Split a message into lines.

        Args:
            text: the message.
            closed: what is known to be presented in it, for it has an end of its own.
        """
        self._text = text
        self._lines = [
            _Line(match.start(), match.end(), match[0]) for match in _LINE.finditer(text)
        ]
        self._closed = _lines_in(self._lines, closed)
        own = [line for i, line in enumerate(self._lines) if i not in self._closed]
        self._is_all_indented = all(line.is_blank or _is_indented(line.text) for line in own)
        self._no_chat_before = 0
        """Line up to which it is known that no chat begins."""

    def read(self) -> Iterator[Span]:
        """Yield the parts that are presented, beside those that are known."""
        i = 0
        while i < len(self._lines):
            found = None if i in self._closed else self._find_block(i)
            if found is None:
                i += 1
                continue
            start, after = found
            yield start, self._place(after)
            i = max(after, i + 1)

    def _find_block(self, i: int) -> tuple[int, int] | None:
        """Return where a presented block begins, and the line after it, or None."""
        line = self._lines[i]
        if i and points_above(line.text):
            return 0, i
        after = self._end_of_sign(i) if _may_have_sign(line.text) else None
        if after is not None:
            return line.start, after
        if line.text.rstrip().endswith((":", "：")) and not _ITEM.match(line.text):
            listed = self._long_list(i)
            if listed is not None:
                return listed
        lead_in = find_lead_in(line.text)
        return None if lead_in is None else self._after_lead_in(i, lead_in)

    def _end_of_sign(self, i: int) -> int | None:
        """Return the line after a block that this line begins by its look, or None."""
        text = self._lines[i].text
        if _RULE.match(text):
            return self._after_rule(i)
        if self._begins_mail(i):
            return self._end_of_open(i)
        if _QUOTED.match(text):
            return self._after_run(i, lambda line: bool(_QUOTED.match(line)))
        if self._begins_chat(i):
            return self._after_run(i, _is_chat, _BETWEEN)
        if _is_indented(text) and not self._is_all_indented:
            return self._after_run(i, _is_indented)
        return None

    def _place(self, i: int) -> int:
        return self._lines[i].start if i < len(self._lines) else len(self._text)

    # What a lead-in presents

    def _after_lead_in(self, i: int, length: int) -> tuple[int, int] | None:
        line = self._lines[i]
        if line.text[length:].strip():
            is_quoted = _QUOTATION.match(line.text, length)
            return None if is_quoted else (line.start + length, self._end_of_open(i + 1))
        first = self._next_filled(i + 1)
        if first is None or first in self._closed:
            return None
        text = self._lines[first].text
        if _RULE.match(text) or _QUOTED.match(text) or _QUOTATION.match(text):
            return None  # it is presented by its own sign
        return self._lines[first].start, self._end_of_block(first)

    def _end_of_block(self, i: int) -> int:
        """Return the line after a block that a lead-in presents."""
        text = self._lines[i].text
        if self._begins_mail(i):
            return self._end_of_open(i)
        if _ITEM.match(text):
            return self._after_list(i)
        if _is_chat(text):
            return self._after_run(i, _is_chat, _BETWEEN)
        return self._after_run(i, _is_indented) if _is_indented(text) else self._end_of_open(i)

    def _next_filled(self, i: int) -> int | None:
        """Return the first line from a line on that is not blank, or None."""
        return next((j for j in range(i, len(self._lines)) if not self._lines[j].is_blank), None)

    def _end_of_open(self, i: int) -> int:
        """Return the line after the end of a part that no sign closes."""
        for j in range(i, len(self._lines) - 1):
            if _RULE.match(self._lines[j].text) and self._takes_up_after(j):
                return j + 1
        return len(self._lines)

    def _takes_up_after(self, j: int) -> bool:
        return takes_up_again(self._text, self._place(j + 1))

    def _after_rule(self, i: int) -> int:
        """Return the line after a rule's part, which lasts to the next rule or the end."""
        if self._takes_up_after(i):
            return i + 1
        rules = (j for j in range(i + 1, len(self._lines)) if _RULE.match(self._lines[j].text))
        end = next(rules, None)
        return len(self._lines) if end is None else end + 1

    # Runs of lines

    def _after_run(self, i: int, belongs: Callable[[str], bool], between: int = 0) -> int:
        """Return the line after a run of lines of one kind and of blank lines within.

        Args:
            i: its first line.
            belongs: whether a line is of the kind.
            between: so many others in a row may stand within it: messages of several lines.
        """
        end, others = i + 1, 0
        for j in range(i + 1, len(self._lines)):
            if belongs(self._lines[j].text):
                end, others = j + 1, 0
            elif not self._lines[j].is_blank:
                others += 1
                if others > between:
                    break
        return end

    def _after_list(self, i: int) -> int:
        return self._after_run(i, lambda text: bool(_LISTED.match(text)))

    def _long_list(self, i: int) -> tuple[int, int] | None:
        """Return the span of a long list below a line that does not say whose it is, or None."""
        first = self._next_filled(i + 1)
        if first is None or not _ITEM.match(self._lines[first].text):
            return None
        after = self._after_list(first)
        items = sum(bool(_ITEM.match(self._lines[j].text)) for j in range(first, after))
        is_own = is_of_ones_own(self._lines[i].text)
        return None if is_own or items < _LEAST_ITEMS else (self._lines[first].start, after)

    def _begins_chat(self, i: int) -> bool:
        """Check whether a chat begins at a line: lines with times, or names that come again."""
        if i < self._no_chat_before or not _is_chat(self._lines[i].text):
            return False
        after = self._after_run(i, _is_chat, _BETWEEN)
        lines = (_CHAT.match(line.text) for line in self._lines[i:after])
        said = [match for match in lines if match is not None]
        names = {match["name"].strip() for match in said}
        is_chat = len(names) < len(said) or any(match["time"] for match in said)
        self._no_chat_before = i if is_chat else after
        return is_chat and len(said) >= _LEAST_CHAT

    def _begins_mail(self, i: int) -> bool:
        """Check whether a letter or a forwarded mail begins at a line."""
        text = self._lines[i].text
        if _SALUTATION.match(text) or _FORWARDED.match(text):
            return True
        following = self._lines[i + 1].text if i + 1 < len(self._lines) else ""
        return bool(_HEADER.match(text) and _HEADER.match(following))


def _lines_in(lines: Sequence[_Line], spans: Iterable[Span]) -> frozenset[int]:
    """Return the numbers of the lines that some spans, in their order, touch."""
    inside, i = set[int](), 0
    for start, end in spans:
        while i < len(lines) and lines[i].end <= start:
            i += 1
        j = i
        while j < len(lines) and lines[j].start < end:
            inside.add(j)
            j += 1
        i = max(i, j - 1)
    return frozenset(inside)


def _may_have_sign(text: str) -> bool:
    """Check quickly whether a line can begin something by its own look."""
    return text[0] in _FIRST_SIGNS or ":" in text or not text.isascii()


def _is_chat(text: str) -> bool:
    return bool(_CHAT.match(text))


def _is_indented(text: str) -> bool:
    return bool(_INDENTED.match(text))


_FIRST_SIGNS = frozenset(" \t>-=_*~#dDHG")
"""First characters of rules, of quoted or indented lines, and of salutations in Latin letters."""
_TAG = lazy_regex(r"<(?P<close>/)?(?P<name>[A-Za-z][\w-]{1,40})(?:\s[^<>]{0,200})?>")
_FENCES = ("```", "~~~", '"""')
_FENCE = lazy_regex(
    r"(?:```|~~~)[\s\S]*?(?:```|~~~|\Z)|(?:\A|(?<=\n))[ \t]*\"\"\"[\s\S]*?(?:\"\"\"|\Z)"
)
_LINE = lazy_regex(r"[^\n]*\n|[^\n]+")
_RULE = lazy_regex(r"[ \t]*(?:([-=_*~#])\1{2,}|(?:[-*_] ){2,}[-*_])[ \t]*\r?\n?$")
_QUOTED = lazy_regex(r"[ \t]{0,40}>")
_QUOTATION = lazy_regex(r"\s*(?:\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|[|])")
_ITEM = lazy_regex(r"[ \t]*(?:[-*•·‣]|\d{1,3}[.)、]|[（(]\d{1,2}[)）])[ \t]*[^\s*-]")
_LISTED = lazy_regex(r"[ \t]*(?:[-*•·‣]|\d{1,3}[.)、]|[（(]\d{1,2}[)）])[ \t]*\S|[ \t]+\S")
_INDENTED = lazy_regex(r"(?: {4}|\t)\s*(?!(?:[-*•·‣]|\d{1,3}[.)])\s)\S")
_CHAT = lazy_regex(
    r"""(?x)[ \t]*(?:[-*•][ ])?
      (?P<time>[\[(（]?(?:\d{2,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?[,T ]{1,2})?\d{1,2}:\d\d(?::\d\d)?(?:[ ]?[AaPp][Mm])?[\])）]?[ \t,–-]*)?
      (?P<name>@?[A-Z][\w.'’-]{0,30}(?:[ ][A-Z(][\w.'’)-]{0,30}){0,2}|@\w{1,30}|[一-鿿]{1,6})[ ]?[:：][ \t]*\S"""  # noqa: E501
)
"""Matches a line of a chat: perhaps a time, a name, and what they say."""
_HEADER = lazy_regex(
    r"(?i)[ \t]*\**(?:from|to|cc|bcc|subject|date|sent|reply-to|发件人|收件人|抄送|主题|日期|发送时间|时间)\**[ ]?[:：]"  # noqa: E501
)
_FORWARDED = lazy_regex(
    r"""(?xi)[ \t]*(?:-{2,}[ ]?(?:forwarded|original|begin\sforwarded|转发|原始)[^\n]*
      | begin\sforwarded\smessage: | on[ ][^\n]{6,100}[ ]wrote:\s*$ | [^\n]{2,40}(?:于|在)[^\n]{4,40}写道[:：]\s*$)"""  # noqa: E501
)
_SALUTATION = lazy_regex(
    r"""(?x)[ \t]*(?:
      (?:(?i:dear)\s(?!(?i:claude|chatgpt|gpt|gemini|copilot|assistant|ai|bot)\b)[^,:\n]{1,40}[,:])
    | (?:Hi|Hello|Hey|Good\s(?:morning|afternoon|evening))\s
      (?!(?i:claude|chatgpt|gpt|gemini|copilot|assistant|ai|bot|there)\b)(?:(?:[A-Z][\w.'’-]*|all|team|everyone)[ ]?){1,4}[,:!]?[ \t]*\r?\n?$
    | (?:亲爱的|尊敬的|敬爱的)[^\n，。：:]{1,16}[：:，,]
    | [一-鿿]{1,6}(?:先生|女士|小姐|老师|经理|总监|主任|教授|医生|老板|同学)[，,]?(?:您好|你好)?[：:，,！!]?[ \t]*\r?\n?$)"""  # noqa: E501
)

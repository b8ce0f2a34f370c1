"""Parsing of a query into what its words tell about where its answer is.

Nothing is looked up. The time a query names ("last week", 上个月) becomes a window, names become
starts for the graph, and what only the record can hold (error codes, long numbers, paths,
addresses, code), or a request for the exact words, calls for the transcript. People talk before
they ask, and they ask two things at once; no turn holds many words of two questions, so each
sentence that asks is searched for by itself, too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.asking.aim import Aim
from memoria.language.dates import Interval, TimeSpan, span_period, times
from memoria.language.lazy import remember_results
from memoria.language.names.mentions import find_names_asked
from memoria.language.reading.recognition import split_sentences
from memoria.language.words.analyser import list_stop_words, phrase_tokens, query_terms
from memoria.language.words.characters import CJK
from memoria.model.moments import Zone

MOST_REMEMBERED = 64
"""Most questions remembered: an agent asks the same of both levels, after a prompt's recall."""
_DATE = r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)"
_AMOUNT = r"\s?(?:[元块万亿人个次%€]|dollars?|euros?|yuan|USD|EUR|CNY|RMB)"
_LITERAL = lazy_regex(
    r"https?://[!-~]*[\w/=&#-]"
    r"|(?<![\w./\\])(?:[A-Za-z]:|~|\.{1,2})?(?:[\\/][\w.\-]+){2,}"  # /etc/hosts, C:\temp\x
    r"|(?<![\w./-])[\w\-]+(?:/[\w.\-]+)+\.[A-Za-z]\w{0,7}\b"  # src/app.py
    r"|\b\w+\.(?:py|js|ts|tsx|rs|go|java|c|cpp|h|md|sql|json|ya?ml|toml|sh|log|txt|csv)\b"
    r"|(?<![\w-])[A-Z]{1,10}[-_]?\d{3,}[A-Z0-9]*(?:-\d+)*\b"  # E1437, CVE-2023-1234; not COVID-19
    r"|\b0x[0-9A-Fa-f]{2,}\b"
    r"|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)"  # 10.0.4.17
    rf"|(?<![\w.,$¥€£])(?!{_DATE})\d{{5,}}(?![\w,]|\.\d|{_AMOUNT})"
    r"|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b"  # a commit
    r"|(?<![\w.])\w+(?:\.\w+)*\(\)"  # call()
    r"|\b(?:[a-z]+(?:_[a-z0-9]+)+|[A-Z]+(?:_[A-Z0-9]+)+)\b"  # snake_case, AN_ENVIRONMENT
    r"|\b[A-Z]\w*(?:Error|Exception)\b"
    r"|`[^`]+`",
    re.ASCII,  # so that what stands among Chinese characters has its ends
)
_LITERAL_SIGN = lazy_regex(r"[\d/\\_(`]|\.[A-Za-z]|Error|Exception", re.ASCII)
"""Signs that every literal has: few questions do, and to look for literals takes long."""
_RECORD_REQUEST = lazy_regex(
    r"\b(?:exact(?:ly)? (?:words?|wording|what)|verbatim|word for word|quote|quoted|evidence|proof"
    r"|source of|when did (?:i|we|you) (?:say|mention|tell|decide|agree)"
    r"|what did (?:i|we|you) (?:say|write|tell|ask)|transcript|original (?:message|words?|text))\b"
    r"|原话|原文|逐字|证据|出处|什么时候说|何时说|怎么说的|说过什么|聊过什么|记录在哪|引用",
    re.IGNORECASE,
)
_LATEST = lazy_regex(
    r"\b(?:latest|most recent(?:ly)?|last thing|just now|newest|last time)\b"
    r"|最近|最新|刚才|刚刚|上次|最后一次",
    re.IGNORECASE,
)
_ASKER = lazy_regex(r"(?i)\bthe user\b|用户")
_SPEECH_VERBS = "say said tell told talk talked mention mentioned discuss discussed happen happened"
_SPEECH_CHINESE = frozenset("我你们说过聊谈提到讲讨论什么了哪些事情干做发生")
_WORD = lazy_regex(r"[^\W\d_]+(?:[-'’](?!s\b)[^\W\d_]+)*|\d+")
"""Words without a possessive: Anna's boss is asked for under the name of Anna."""
_UNSPACED = lazy_regex(f"[{CJK}]")
_SPACED = lazy_regex(f"[^{CJK}]{{2,}}")
_CAPITAL = lazy_regex(r"\b(?P<word>[A-Z][a-z][A-Za-z\d]*)(?P<of>['’]s?)?(?![\w])")
_SENTENCE_ENDS = '.?!"“:'
_QUOTED = lazy_regex(
    r"[\"“]([^\"“”\n]{2,200})[\"”]|「([^」\n]{2,200})」|『([^』\n]{2,200})』|《([^》\n]{2,200})》"
)
_MOST_PHRASES = 4
_MOST_NAMES = 256
_LONGEST_NAME = 3
_LONGEST_RUN = 6


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query taken apart."""

    text: str
    terms: tuple[str, ...]
    """Tokens searched for."""
    discriminative: tuple[str, ...]
    """Terms that an answer is about: no words of time, nothing as empty as "said", and not "the
    user", as every memory says of whoever asks."""
    time: Interval | None
    names: tuple[str, ...]
    """Runs of words that may be the name of something, in their spelling here."""
    proper_names: tuple[str, ...]
    """Names that are written as proper names, where a script tells them."""
    literals: tuple[str, ...]
    """Error codes, long numbers, paths, addresses and code."""
    phrases: tuple[tuple[str, ...], ...]
    """Phrases in quotation marks, each as the runs of tokens that the index has of it."""
    names_asker: bool
    """True if the query calls whoever asks "the user", as memories do."""
    wants_record: bool
    """True if the query asks for the words themselves, or for when they were said."""
    wants_latest: bool
    """True if the query asks for what came last."""
    aim: Aim
    """Kind of answer that the query wants."""

    @property
    def is_time_only(self) -> bool:
        """True if the query asks for a time and for nothing in particular."""
        return not self.discriminative and (self.time is not None or self.wants_latest)

    def without_time(self) -> "ParsedQuery":
        """Return the query without its time, for words to be sought where nothing was said then."""
        return replace(self, discriminative=self.terms, time=None, wants_latest=False)

    def occurs_in(self, text: str) -> bool:
        """Return whether a text has a code, path or address of the query as written."""
        lower = text.lower()
        return any(literal.lower() in lower for literal in self.literals)


def parse_query(
    text: str, terms: tuple[str, ...], now: int, zone: Zone, aim: Aim = Aim.FACT
) -> ParsedQuery:
    """Take a query apart.

    Args:
        text: as it was asked.
        terms: its tokens.
        now: when it is asked, UTC epoch milliseconds; "last week" is counted from here.
        zone: the asker's: days begin at its midnight.
        aim: what kind of answer it wants.
    """
    spans = tuple(times(text, now, zone, clocks="none"))
    return _parse_with_times(text, terms, spans, aim)


@remember_results(MOST_REMEMBERED)
def _parse_with_times(
    text: str, terms: tuple[str, ...], spans: tuple[TimeSpan, ...], aim: Aim
) -> ParsedQuery:
    """Parse a query whose times are known, so that the result is the same whenever it is asked."""
    time = span_period(text, spans)
    timeless = _remove_spans(text, spans) if spans else text
    latest = _LATEST.search(text) is not None
    wants_record = _RECORD_REQUEST.search(text) is not None
    names_asker = _ASKER.search(text) is not None
    is_framed = time or latest or wants_record
    telling = _discriminative_terms(timeless, terms) if is_framed else terms
    return ParsedQuery(
        text=text,
        terms=terms,
        discriminative=tuple(term for term in telling if term not in _asker_terms())
        if names_asker
        else telling,
        time=time,
        names=tuple(dict.fromkeys(islice(_names(text), _MOST_NAMES))),
        proper_names=tuple(dict.fromkeys((*_proper_names(timeless), *_chinese_names(timeless)))),
        literals=tuple(_literals(text)),
        phrases=tuple(islice(_phrases(text), _MOST_PHRASES)),
        names_asker=names_asker,
        wants_record=wants_record,
        wants_latest=latest,
        aim=aim,
    )


def _discriminative_terms(timeless: str, terms: tuple[str, ...]) -> tuple[str, ...]:
    """Return the terms but words of time, requests for the record, and empty ones like "said"."""
    about = _RECORD_REQUEST.sub(" ", _LATEST.sub(" ", timeless))
    return tuple(term for term in query_terms(about) if term in terms and not _is_empty_word(term))


@cache
def _asker_terms() -> frozenset[str]:
    return frozenset(query_terms("the user 用户"))


def _literals(text: str) -> Iterator[str]:
    if _LITERAL_SIGN.search(text):
        for match in _LITERAL.finditer(text):
            yield match[0].strip("`")


def _phrases(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the phrases in quotation marks but single words: those are looked for in any case."""
    for match in _QUOTED.finditer(text):
        runs = phrase_tokens(match[match.lastindex or 0])
        if len(runs) > 1 or any(" " in run for run in runs):
            yield runs


def _remove_spans(text: str, spans: Sequence[TimeSpan]) -> str:
    """Remove the words of time from a text."""
    parts, end = [], 0
    for span in spans:
        parts.append(text[end : span.start])
        end = span.end
    return " ".join([*parts, text[end:]])


def _proper_names(timeless: str) -> Iterator[str]:
    """Yield words with a capital that does not merely begin the sentence."""
    for match in _CAPITAL.finditer(timeless):
        word = match["word"]
        before = timeless[: match.start()].rstrip()
        begins = not before or before[-1] in _SENTENCE_ENDS
        if word.lower() not in list_stop_words() and (match["of"] or not begins):
            yield word


def _chinese_names(timeless: str) -> list[str]:
    return find_names_asked(timeless) if _UNSPACED.search(timeless) else []


def _is_empty_word(term: str) -> bool:
    return term in _speech_terms() or set(term) <= _SPEECH_CHINESE


@cache
def _speech_terms() -> frozenset[str]:
    return frozenset(query_terms(_SPEECH_VERBS))


def _names(text: str) -> Iterator[str]:
    """Yield runs of up to three words, and up to six characters of what has no spaces.

    From left to right, so that of a long text the first names are known whatever their length.
    """
    words = list(_WORD.finditer(text))
    has_unspaced = _UNSPACED.search(text) is not None
    for first, word in enumerate(words):
        if has_unspaced and _UNSPACED.search(word[0]):
            yield from _SPACED.findall(word[0])
            yield from _pieces(word[0])
            continue
        for last in words[first : first + _LONGEST_NAME]:
            name = text[word.start() : last.end()]
            if len(name) > 1 and not (has_unspaced and _UNSPACED.search(name)):
                yield name


def _pieces(run: str) -> Iterator[str]:
    for first in range(len(run)):
        for end in range(first + 1, min(first + _LONGEST_RUN, len(run)) + 1):
            if end - first > 1 or len(run) == 1:
                yield run[first:end]


_MOST_QUESTIONS = 3
"""Most questions, the first questions: each costs a search."""
_MARKS = ("?", "？")


def list_questions(text: str) -> list[str]:
    """List the sentences that end with a question mark; none where the text is one sentence."""
    sentences = [each.strip() for each in split_sentences(text)]
    asking = [each for each in sentences if each.endswith(_MARKS)]
    return asking[:_MOST_QUESTIONS] if len(sentences) > 1 else []

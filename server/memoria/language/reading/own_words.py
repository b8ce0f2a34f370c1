"""Own words: the sentences that a speaker says themselves, without code, pastes and quotations.

Rules that take words literally may look at these alone. Everything else is replaced character by
character, so that positions in the result are positions in the text.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import SmallPattern, has_any
from memoria.language.reading.pasted import find_pasted_spans

BLOT = "\ufffc"
"""Replaces a character that is not in the speaker's own words."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence in the speaker's own words."""

    start: int
    text: str
    end: str
    """The punctuation that ends it: `?`, `。`, or nothing."""

    @property
    def is_question(self) -> bool:
        """True if the sentence is a question."""
        if "?" in self.end or "？" in self.end:
            return True
        # What is not at the beginning of a sentence asks only in Chinese.
        asks = _QUESTION.match if self.text.isascii() else _QUESTION.search
        return asks(self.text) is not None

    @property
    def is_doubtful(self) -> bool:
        """True if the sentence is hearsay, a condition or a joke, and not meant literally."""
        return _DOUBTFUL.search(self.text) is not None


def blot_foreign_text(text: str) -> str:
    """Replace every character of a text that is not in the speaker's own words."""
    return _blot_all(text, ((None, _LINES), ("`", _INLINE), (_QUOTES, _QUOTATION)))


def blot_presented_text(text: str) -> str:
    """Replace what a speaker presents or quotes, and leave code that they name in a sentence."""
    return _blot_all(text, ((None, _LINES), (_QUOTES, _QUOTATION)))


def _blot_all(text: str, kinds: Iterable[tuple[str | None, re.Pattern[str]]]) -> str:
    """Replace pasted text and the matches of patterns whose signs a text has."""
    pieces, end = list[str](), 0
    for start, until in find_pasted_spans(text):
        pieces += (text[end:start], _blot_block(until - start))
        end = until
    text = "".join((*pieces, text[end:]))
    for signs, pattern in kinds:
        if signs is None or has_any(text, signs):
            text = pattern.sub(lambda match: BLOT * len(match[0]), text)
    return text


def own_sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a text that are wholly in the speaker's own words."""
    return sentences_of_blotted(blot_foreign_text(text))


def sentences_of_blotted(blotted: str) -> Iterator[Sentence]:
    """Yield the sentences of a text whose foreign parts `blot_foreign_text` has replaced."""
    for match in _SENTENCE.finditer(blotted):
        words = match[0].removesuffix(match["end"])
        plain = words.strip()
        if plain and BLOT not in plain:
            yield Sentence(match.start() + words.index(plain), plain, match["end"])


def _blot_block(length: int) -> str:
    """Return the replacement of a block; its line breaks separate the sentences around it."""
    return f"\n{BLOT * (length - 2)}\n" if length > 1 else BLOT * length


# Quoted mail, shell prompts, logs, stack traces, JSON, transcripts.
_LINES = lazy_regex(
    r"""(?mx)^[ \t]{0,40}(?:
      [>|$].*
    | \[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*
    | \[?\d{1,2}:\d\d(?::\d\d)?\]?[ ].*
    | \[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b.*
    | Traceback[ ]\(.* | File[ ]".* | at[ ][\w.$]+\(.*
    | [{}\[\]],?[ \t]*$ | "[\w-]+"[ ]?:[ ].*
    | (?:user|assistant|system|human|ai|User|Assistant|System|Human|AI|用户|助手|系统)[ ]?[:：].*
    )"""
)
_INLINE = lazy_regex(r"`[^`\n]{1,300}`")
_QUOTES = "\"“‘'「『"
# A name, a title or a few words to be used ("kind regards, Ada") may be in quotation marks; a
# sentence in quotation marks is somebody else's.
_TITLE = (
    r"[A-Z][\w'’-]*(?:,?\s(?:[A-Z0-9][\w'’-]*|of|the|and|in|an?|to|for|on|with|at|from|by)){0,7}"
)
_PRONOUN = r"(?:[\w'’-]+,?\s){0,3}(?i:i|you|we|he|she|they|it|my|your|our|me|us)\b"
_FEW_WORDS = rf"(?!{_PRONOUN})[A-Za-z][\w'’-]*(?:,?\s[\w'’-]+){{0,3}}"
_QUOTATION = lazy_regex(
    rf"""(?x)(?<!\w)"(?!(?:{_TITLE}|{_FEW_WORDS})")(?=[^"\n]{{0,300}}[\s，。！？])[^"\n]{{3,600}}"
    | “(?!(?:{_TITLE}|{_FEW_WORDS})”)(?:[^“”\n]{{8,600}}|[A-Za-z'’]{{1,30}}[ ][^“”\n]{{1,600}})”
    | “[^“”\n，。！？]{{0,7}}[，。！？][^“”\n]{{0,7}}”
    | (?<!\w)[‘'](?=[^'\n]{{0,300}}\s)[^'‘’\n]{{3,300}}[’'](?!\w)
    | 「[^「」\n]{{6,600}}」 | 『[^『』\n]{{6,600}}』"""
)
# The full stop of a title ends no sentence.
_SENTENCE = lazy_regex(
    r"(?:[^.!?。！？；;\n]+|[.!?](?!\s|$|[.!?\"”’)\u3000-\u9fff])"
    r"|(?:(?<=\bDr)|(?<=\bProf)|(?<=\bMr)|(?<=\bMrs)|(?<=\bMs)|(?<=\bMx)|(?<=\bSt))\.(?=\s))+"
    r"(?P<end>[.!?。！？；;]*)"
)
_QUESTION = SmallPattern(
    r"""(?x)^\W*(?:(?:and|but|so|or|hey|well|also|ok|okay)\b[\s,]*)?(?:
      (?:do|does|did|have|has|are|is|was|were|can|could|would|will|should|shall|may|am)(?:n['’]?t)?
        \s(?:you|i|we|he|she|they|it|my|the|there|this|that|your)\b
    | (?:what|who|whom|whose|which|where|when|why|how)(?:['’]s|\s(?:do|does|did|is|are|was|were|can
        |could|should|would|will|have|has|many|much|about|come|old|long))\b
    | (?:any\sidea|remember\s(?:when|how|the\s(?:time|day)|that\s(?:time|day)))\b
    )
    | [吗嗎么]\W*$ | 是不是|有没有|记不记得|知不知道|能不能|可不可以|要不要|还记得
    | ^\W*(?:为什么|怎么|什么|谁|哪|几|多少|请问)"""
)
_DOUBTFUL = SmallPattern(
    r"""(?x)^\W*(?:(?:and|but|so)\s)?
      (?:if|suppose|imagine|assuming|unless|what\sif|pretend|say\s(?:we|i))\b
    | \b(?:he|she|they|somebody|someone|people|everyone|everybody|coach|teacher|doctor|boss|mother
        |mom|mum|father|dad|sister|brother|friend|wife|husband|colleague|article|book|song|movie)\s
      (?:just\s|always\s|also\s|once\s)?(?:said|says|say|tells|told|claims?|claimed|thinks|thought
        |asked|wrote|keeps\ssaying|insists)\b
    | (?<!\bi\s)(?<!\bwe\s)\b(?:thinks|thought|assumes|assumed|believes|believed|suspects|expects
        |reckons|swears|keeps?\ssaying|(?:is|are|was|were)\s(?:convinced|under\sthe\simpression)|(?:people|everyone|everybody|they|others|folks|friends|colleagues|neighbours|kids
          |parents)\s(?:all\s|often\s|always\s)?(?:think|assume|believe|suspect|expect|reckon))
        \s(?:that\s)?(?:i|i['’](?:m|ve|d|ll)|we|we['’](?:re|ve|d|ll))\b
    | \b(?:said|says)\s(?:the|my|his|her|their|our|a)\b | \baccording\sto\b
    | \b(?:supposedly|allegedly|apparently|rumou?r|i\sheard|they\ssay|just\skidding|joking|lol
        |haha|j/k|i\swish|as\sif|unless)\b
    | ^\W*(?:如果|假如|要是|假设|万一|比如|例如) | 听说|据说|有人说|传言|谣传
    | (?:他|她|他们|人家|妈|爸|老师|医生|朋友|同事|老板|领导)(?:总|老|常|都|曾经|刚才?)?
      (?:说|讲|告诉|觉得|认为|以为)
    | (?:大家|别人|所有人|人人|家人|同学|邻居|父母|亲戚|[多些]人|们)(?:总|老|常|都|一直|也)*
      (?:说|讲|觉得|认为)我(?!们) | 以为我
    | 开玩笑|哈哈|呵呵|才怪|的话[，,]"""
)

"""Askings: what of a long text is asked, and how many things it asks.

People talk before they ask, and they ask two things at once: "Lovely weather. What I wanted to ask
is where my keys are. And by the way, when is the dentist?" No turn holds many words of two
questions, and chat finds chat; so each thing that is asked is searched for by itself.

- A topic begins with a word that adds one (另外, "by the way"), and ends with the next.
- A sentence that announces its question (我想问的是, "my question is") leaves behind what has been
  said of its topic: whoever announces a question has been speaking of something else.
- Where nothing announces one, each question of a topic is asked, together with the statements
  before it: they say what it is about. So does the question before it, if it says "it" or "they".
- Of several statements before a question most are talk: then the question is asked by itself, and
  all of it as another wording, which counts for less.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memoria.text.analyser import WORD
from memoria.text.pattern import LazyPattern, SmallPattern
from memoria.text.stopwords import STOP_WORDS

MOST_ASKINGS = 3
"""Things searched for by themselves: each costs a search. Of more, the first are asked as one."""
_MOST_STATEMENTS = 1
"""Before a question that is asked together with them."""

_ADDITION = (
    r"(?:by\sthe\sway|btw|another\s(?:thing|question)|one\smore\s(?:thing|question)|separately"
    r"|on\s(?:another|a\sdifferent|a\sseparate)\snote|and\salso|also)\b"
    r"|另外|此外|还有|顺便(?:问|说)(?:一下|下|一句)?|再问(?:一下|一个|下)|除此之外"
)
_INTERROGATIVE = r"(?:what|who|whom|whose|which|where|when|why|how)"
_AUXILIARY = r"(?:is|are|was|were|do|does|did|have|has|had|can|could|should|would|will|must)"
# A quotation is one word of its sentence, whatever stops stand in it; no sentence begins with 的.
_SENTENCE = LazyPattern(
    rf"""(?xi)(?: “[^”\n]{{1,300}}” | 「[^」\n]{{1,300}}」 | 《[^》\n]{{1,100}}》
      | (?<![a-z0-9])"[^"\n]{{1,300}}" | \b(?:[a-z]|dr|prof|mrs?|ms|st)[.] | [^.!?。！？；;…\n，,]
      | [.](?!\s|$) | 。(?=的)
      | [，,](?!\s*(?:(?:and|oh)\s)?(?:{_ADDITION}))
          (?!\s*and\s{_INTERROGATIVE}\s(?:\w+\s){{0,3}}?{_AUXILIARY}\b) )+
    (?P<end>[.!?。！？；;…，,]*)"""
)
_ADDS = LazyPattern(rf"(?i)\W*(?:(?:oh|and|ah|well|哦|噢|啊)\W+)?(?:{_ADDITION})[\s,，:：、]*")
_ANNOUNCES = SmallPattern(
    r"""(?x)(?:
        (?:what|all|the\sthing)\si\s(?:\w+\s){0,3}?(?:want(?:ed)?|need(?:ed)?|mean|meant|['’]d\slike)
          \s(?:to\s)?(?:ask|know|find\sout|figure\sout|remember)(?:\s(?:you|about))?\s(?:is|was)
      | (?:my|the)\s(?:\w+\s){0,2}question\s(?:\w+\s)?(?:is|was)
      | i\s(?:actually|really|just|only|mainly)\s(?:want(?:ed)?|need(?:ed)?|meant)\s
          (?:to\s)?(?:ask|know|find\sout)
    )\b(?:\sthis)?[\s,:–—-]*
    | (?:我|其实|实际上?|本来|真正|原本).{0,6}?(?:想|要|是).{0,3}?
        (?:问|知道|了解|清楚|明白|请教|说)的?(?:问题|事情?)?(?:其实|就)?是?(?:这个|这样的?)?[，,：:\s]+
    | 问题(?:其实|就)?是[，,：:\s]*
        (?!(?:什么|啥|谁|哪[个里儿些]|多少|如何|怎么样?)[呢啊呀]?\s*(?:[?？。!！]|$))"""
)
"""What asks for a question itself (哲学的中心问题是什么？) announces none."""
_ASKS = LazyPattern(
    rf"""(?xi)^\W*(?:(?:and|but|so|then|ok|okay|please|now)\b[\s,]*)*(?:{_INTERROGATIVE}\b
      | {_AUXILIARY}(?:n['’]t)?\s(?:you|i|we|he|she|they|it|my|the|there|this|that|your|our)\b
      | (?:tell|remind|show|give)\s(?:me|us)\b)
    | 什么|哪|谁|多少|怎么|怎样|如何|为何|几[个点号岁次天年月人位种]|[吗嘛呢]\W*$
    | 是不是|有没有|是否|(?:帮|告诉|提醒)我|查一?下"""
)
_REFERS_BACK = LazyPattern(
    r"(?i)\b(?:it|its|he|him|his|she|her|they|them|their|there|this|these|those)\b|[他她它这]"
)
_QUESTION_MARK = LazyPattern("[?？]")
_STOPS = ".!?。！？；;…，,\n"
_STOP = LazyPattern(f"[{_STOPS}]")
_LETTER = LazyPattern(r"\w")


class AskedSentence(NamedTuple):
    """A sentence of what was asked."""

    text: str
    asks: bool


class Asking(NamedTuple):
    """One thing that is asked."""

    question: str
    talk: str = ""
    """The question with what was said before it, where that is too much to be asked with it."""


def find_askings(text: str) -> tuple[Asking, ...]:
    """The things a text asks, in their order; the whole text where it asks one thing at once."""
    announces = _ANNOUNCES.search(text) is not None
    if not announces and _STOP.regex.search(text.rstrip(f"{_STOPS} ")) is None:
        return (Asking(text),)  # one sentence, as most questions are
    askings = [asking for topic in _split_topics(text) for asking in _list_askings(topic)]
    if len(askings) < 2 and not announces:  # noqa: PLR2004  (one thing)
        return (askings[0],) if askings and askings[0].talk else (Asking(text),)
    first = len(askings) - MOST_ASKINGS + 1
    if first > 1:
        askings = [Asking(_join(*(each.question for each in askings[:first]))), *askings[first:]]
    return tuple(dict.fromkeys(askings)) or (Asking(text),)


def _split_topics(text: str) -> Iterator[list[AskedSentence]]:
    """The sentences of each topic, without the words that add one."""
    is_marked = _QUESTION_MARK.regex.search(text) is not None
    topic: list[AskedSentence] = []
    for match in _SENTENCE.regex.finditer(text):
        sentence, end = match[0].strip(), match["end"]
        adds = _ADDS.regex.match(sentence)
        if adds:
            sentence = sentence[adds.end() :]
            if any(each.asks for each in topic):
                yield topic
                topic = []
        if _LETTER.regex.search(sentence):
            has_end = is_marked and not end.endswith(("，", ",", "；", ";"))
            asks = _QUESTION_MARK.regex.search(end) if has_end else _ASKS.regex.search(sentence)
            topic.append(AskedSentence(sentence, asks is not None and _has_telling_words(sentence)))
    yield topic


def _has_telling_words(sentence: str) -> bool:
    """Whether it asks for anything: "how are you?" does not."""
    return not STOP_WORDS.issuperset(WORD.findall(sentence.lower()))


def _list_askings(topic: Sequence[AskedSentence]) -> Iterator[Asking]:
    """What a topic asks; nothing, if it is empty."""
    for place, sentence in reversed([*enumerate(topic)]):
        ends = [match.end() for match in _ANNOUNCES.finditer(sentence.text)]
        if ends:
            yield Asking(_join(sentence.text[ends[-1] :], *_list_texts(topic[place + 1 :])))
            return
    last = max((place for place, each in enumerate(topic) if each.asks), default=-1)
    statements, before = list[str](), ""
    for place, sentence in enumerate(topic):
        if not sentence.asks:
            statements.append(sentence.text)
            continue
        after = topic[place + 1 :] if place == last else []
        asking = _ask(_join(sentence.text, *_list_texts(after)), statements, before)
        yield asking
        statements, before = [], asking.question
    if last < 0 and statements:
        yield Asking(_join(*statements))


def _ask(question: str, statements: Sequence[str], before: str) -> Asking:
    """A question with what says what it is about.

    Args:
        question: as it was asked, with what follows it.
        statements: what was said before it.
        before: the question before.
    """
    whole = _join(*statements, question)
    if _REFERS_BACK.regex.search(question):
        return Asking(whole if statements else _join(before, question))
    return Asking(question, whole) if len(statements) > _MOST_STATEMENTS else Asking(whole)


def _list_texts(sentences: Sequence[AskedSentence]) -> list[str]:
    return [each.text for each in sentences]


def _join(*texts: str) -> str:
    return " ".join(filter(None, map(str.strip, texts)))

"""Plain statements that rules find in a turn of the user's, without a model.

Nothing is concluded and nothing is reworded. What a turn asks to have remembered ("Remember that
I'm allergic to nuts", 记住：我对花生过敏) is kept in the user's own words, and a turn that is a
standing wish as a whole is marked as such. Questions, hearsay, irony, code, quotations, drafts and
pasted text ask for nothing, nor does a turn that asks not to be remembered.
"""

from dataclasses import dataclass
from itertools import islice, zip_longest

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.reading.own_words import (
    BLOT,
    Sentence,
    blot_foreign_text,
    sentences_of_blotted,
)
from memoria.language.statements.classifier import guess_type, is_standing_wish
from memoria.language.statements.confided import read_condition
from memoria.language.statements.lasting import REDACTED
from memoria.language.statements.orders import instruction_shaped
from memoria.language.statements.withheld import asks_not_to_remember
from memoria.language.words.characters import reads_chinese
from memoria.model.memory import Condition, Trust
from memoria.model.memory_types import MemoryType
from memoria.model.turn import Mark, Role

_LEAD = r"""(?:(?:please|pls|ok(?:ay)?|and|also|but|so|oh|hey|hi|hello|btw|by\sthe\sway|fyi|well|yes
    |no|actually|personally|honestly|in\sgeneral|generally|for\sthe\srecord)\b[\s,:;—-]*){0,3}"""
_LEAD_ZH = (
    r"(?:(?:请|麻烦|对了|还有|另外|嗯|哦|好的?|其实|那|顺便说一下|说实话|总之)[，,、\s]*){0,3}"
)
_REMEMBER = lazy_regex(
    rf"""(?xi)\W*{_LEAD}(?:remember|memori[sz]e|keep\sin\smind|bear\sin\smind|do\s?n[o'’]t\sforget
    |make\sa\snote|never\sforget)
    (?:\sthat\b|\s?:|,(?=.*\b(?:i|me|my|we|us|our)\b)(?!.*\byou)|(?=\s(?:i['’]?m?|i['’]ve|my|we|our)\b)
      |(?=\W*$))\s*"""
)
_REMEMBER_ZH = lazy_regex(
    rf"""(?x)\W*{_LEAD_ZH}(?:你?(?:一定)?要)?(?:帮我)?(?:记住(?!了|啦|没)|记一下|记下(?!来了)|牢记|别忘了|不要忘了|别忘记|不要忘记
    |记得(?=我|：|:|，|,))[，,：:\s]*"""
)
_REMEMBER_TO = lazy_regex(
    rf"(?xi)\W*(?:{_LEAD}(?:remember|do\s?n[o'’]t\sforget)\sto\s+|{_LEAD_ZH}(?:要|你要)?记得)"
)
"""Asks to do something; it is remembered only where it is to be done each time."""
_POINTING = lazy_regex(
    r"(?i)(?:it|this|that|these|those|them|he|she|they|what|when|where|why|who|how)\b"
    r"|[这那它他她]|什么|怎么|哪|谁|上面|下面|刚才|以上|一下"
)
_TELLING = lazy_regex(r"\S+(?:\s+\S+)+|.{4,}")
_CLAUSES = lazy_regex(r"(?i);\s*|,\s+(?=(?:and|but|my|our|i|we|the)\b)|[，；]\s*")
"""Where a clause ends; a comma within a list of things ends none."""
_FURTHER = lazy_regex(rf"(?xi)\A\W*{_LEAD}{_LEAD_ZH}")


def find_request(sentence: str) -> int | None:
    """Return where the words to be remembered begin, in a sentence that begins with a request.

    None where it does not begin with one; the length of the sentence where nothing follows.

    >>> find_request("Remember that I'm allergic to nuts")
    14
    """
    lead = _REMEMBER.match(sentence) or (
        None if sentence.isascii() else _REMEMBER_ZH.match(sentence)
    )
    return _find_order(sentence) if lead is None else lead.end()


def _find_order(sentence: str) -> int | None:
    lead = _REMEMBER_TO.match(sentence)
    if lead is None or guess_type(sentence[lead.end() :]) is not MemoryType.RULE:
        return None
    return lead.end()


def stands_alone(words: str) -> bool:
    """Check whether words can be understood without the words before."""
    return bool(_TELLING.match(words)) and not _POINTING.match(words)


def leave_out_secrets(words: str) -> str:
    """Return words without the clauses that held a secret.

    Of several runs of clauses without a secret the first is returned; empty if each clause held a
    secret.

    >>> leave_out_secrets("my PIN is [redacted:pin], and my daughter is called Ada")
    'my daughter is called Ada'
    """
    if REDACTED not in words:
        return words
    ends = [match.span() for match in _CLAUSES.finditer(words)]
    starts, stops = [0, *(end for _, end in ends)], [*(start for start, _ in ends), len(words)]
    clauses = list(zip(starts, stops, strict=True))
    is_plain = [REDACTED not in words[start:stop] for start, stop in clauses]
    if True not in is_plain:
        return ""
    first = is_plain.index(True)
    last = is_plain.index(False, first) if False in is_plain[first:] else len(clauses)
    return drop_lead(words[clauses[first][0] : clauses[last - 1][1]].strip())


def drop_lead(words: str) -> str:
    """Return words without a beginning that only leads over, such as "and" or 还有."""
    return _FURTHER.sub("", words, count=1)


def find_draft(text: str) -> int:
    """Return where a text begins to give somebody a part to play; the text's length if nowhere."""
    match = _PART.search(text)
    return len(text) if match is None else match.start()


def is_meant_otherwise(sentence: str) -> bool:
    """Check whether a sentence is ironic, though word for word it is an order or a request."""
    irony = _IRONY_ZH if reads_chinese(sentence) else _IRONY
    return bool(irony.search(sentence))


_SHOUTED = r"\b(?-i:LOVE|LOVES|ADORE|ENJOY|LIKE|SO|GREAT)\b"
_TAKEN_BACK = r"(?:,|\s[-–—]|…|\.\.\.)\s*not\W*$"
_IRONY = lazy_regex(
    rf"""(?xi)
      \bi\s(?:just|so|really|absolutely|simply|totally)?\s?(?:love|adore|enjoy)\s(?:it\swhen|waiting|being\s(?:ignored|woken|stuck|told)|spending\s(?:hours|my)|paying|debugging)
    | ^\W*(?:(?:yeah|oh|wow|great|super|lovely|fantastic|brilliant)\b[\s,.!]*){{1,3}}i\sjust\b
    | {_SHOUTED} | {_TAKEN_BACK}
    """
)
_IRONY_ZH = lazy_regex(r"[我俺](?:可)?太(?:爱|喜欢)|可真?是(?:太|爱|喜欢)|才怪|呵呵|开玩笑")
_PART = lazy_regex(
    r"""(?xi)(?:^|(?<=\w)[^\w\n]*+\n)\W*+(?:(?:you\sare|you['’]re)\s(?:now\s)?(?:an?|the)\s|imagine\b|pretend\b|let['’]?s\s(?:role-?\s?play|play\s?[:,]|pretend|imagine)|act\sas\b
      |play\sthe\srole|in\sthis\sstory|假设|假装|想象|扮演|请?你扮演|你现在是|现在你是|我们来玩)
    | \bfrom\snow\son,?\syou(?:['’]re|\sare|['’]ll\sbe|\swill\sbe)\s(?:an?\s|the\s|(?-i:[A-Z]))
    | 从现在(?:起|开始)[，,]?你就?是"""
)
_LONGEST = 300
_LONGEST_TEXT = 20_000
_MOST_SENTENCES = 80


@dataclass(frozen=True, slots=True)
class PlainStatement:
    """Words of a turn that it asks to have remembered."""

    type: MemoryType
    quote: str
    """The words, as they stand in the turn."""
    start: int
    """Their position in the turn."""


@dataclass(frozen=True, slots=True)
class PlainStatements:
    """Findings of the rules in a turn."""

    request: PlainStatement | None = None
    """Words that the turn asks to have remembered."""
    is_wish: bool = False
    """True if the turn as a whole is a wish that is to hold from now on."""

    @property
    def mark(self) -> Mark:
        """Kind of thing that the turn says."""
        return "wish" if self.is_wish else "none"


def find_plain_statements(role: Role, text: str, *, tool_call: bool = False) -> PlainStatements:
    """Find what a turn asks for that lasts.

    Args:
        role: who produced the turn; only a user's words are taken literally.
        text: its words.
        tool_call: whether it carries a tool's call or result.
    """
    if role is not Role.USER or tool_call:
        return PlainStatements()
    if len(text) > _LONGEST_TEXT:
        return PlainStatements()
    blotted = blot_foreign_text(text)
    found = _find_in(text, blotted)
    # Most turns ask for nothing anyway, so whether anything may be taken is asked last.
    is_empty = found == PlainStatements()
    return found if is_empty or _may_be_taken(text, blotted) else PlainStatements()


def _may_be_taken(text: str, blotted: str) -> bool:
    """Check that a text gives the memory no orders, and does not ask to be left out."""
    if instruction_shaped(text, Trust.USER) or asks_not_to_remember(blotted):
        return False
    read = read_condition(text)
    return read is None or read.condition is not Condition.WITHHELD


def _find_in(text: str, blotted: str) -> PlainStatements:
    draft = find_draft(blotted)
    sentences = [
        each
        for each in islice(sentences_of_blotted(blotted), _MOST_SENTENCES)
        if each.start < draft
    ]
    pairs = zip_longest(sentences, sentences[1:])
    asked = (_find_asked(each, text, blotted, after) for each, after in pairs)
    is_wish = is_literal(blotted) and is_standing_wish(text)
    return PlainStatements(next(filter(None, asked), None), is_wish)


def is_literal(blotted: str) -> bool:
    """Check whether a message as a whole is meant as it reads: no part to play, no irony."""
    sentences = islice(sentences_of_blotted(blotted), _MOST_SENTENCES)
    is_part = find_draft(blotted) < len(blotted)
    return not is_part and not any(is_meant_otherwise(one.text) for one in sentences)


def _find_asked(
    sentence: Sentence, text: str, blotted: str, after: Sentence | None
) -> PlainStatement | None:
    """Return the words to be remembered; the whole turn if the sentence points at the turn.

    Clauses that held a secret are left out. Where that is all, a semicolon leads to the next.
    """
    start = find_request(sentence.text)
    if start is None or sentence.is_question or sentence.is_doubtful:
        return None
    if is_meant_otherwise(sentence.text):
        return None
    words, start = sentence.text[start:].strip(), sentence.start + start
    if not stands_alone(words):
        words, start = text.strip(), 0
        if BLOT in blotted or (words.startswith(sentence.text) and not _says_more(words, sentence)):
            return None
    words = leave_out_secrets(words)
    if not words and after is not None and sentence.end in (";", "；"):
        words = "" if after.is_question or after.is_doubtful else drop_lead(after.text)
        words = leave_out_secrets(words) if stands_alone(words) else ""
    if not words or len(words) > _LONGEST:
        return None
    return PlainStatement(guess_type(words), words, text.find(words, start))


def _says_more(text: str, sentence: Sentence) -> bool:
    """Check whether a turn says anything beside the sentence with the request."""
    return len(text) > len(sentence.text) + len(sentence.end)

"""Requests: the words by which somebody asks to have something remembered, and what follows them.

"Remember that I'm allergic to nuts", 记住：我对花生过敏, "Remember to always answer in English".
What follows is kept as it was said.
"""

from memoria.language.pattern import LazyPattern
from memoria.language.statements.kinds import guess_type
from memoria.language.statements.lasting import REDACTED
from memoria.model.memory_types import MemoryType

_LEAD = r"""(?:(?:please|pls|ok(?:ay)?|and|also|but|so|oh|hey|hi|hello|btw|by\sthe\sway|fyi|well|yes
    |no|actually|personally|honestly|in\sgeneral|generally|for\sthe\srecord)\b[\s,:;—-]*){0,3}"""
_LEAD_ZH = (
    r"(?:(?:请|麻烦|对了|还有|另外|嗯|哦|好的?|其实|那|顺便说一下|说实话|总之)[，,、\s]*){0,3}"
)
_REMEMBER = LazyPattern(
    rf"""(?xi)\W*{_LEAD}(?:remember|memori[sz]e|keep\sin\smind|bear\sin\smind|do\s?n[o'’]t\sforget
    |make\sa\snote|never\sforget)
    (?:\sthat\b|\s?:|,(?=.*\b(?:i|me|my|we|us|our)\b)(?!.*\byou)|(?=\s(?:i['’]?m?|i['’]ve|my|we|our)\b)
      |(?=\W*$))\s*"""
)
_REMEMBER_ZH = LazyPattern(
    rf"""(?x)\W*{_LEAD_ZH}(?:你?(?:一定)?要)?(?:帮我)?(?:记住(?!了|啦|没)|记一下|记下(?!来了)|牢记|别忘了|不要忘了|别忘记|不要忘记
    |记得(?=我|：|:|，|,))[，,：:\s]*"""
)
_REMEMBER_TO = LazyPattern(
    rf"(?xi)\W*(?:{_LEAD}(?:remember|do\s?n[o'’]t\sforget)\sto\s+|{_LEAD_ZH}(?:要|你要)?记得)"
)
"""Asks to do something; it is remembered only where it is to be done each time."""
_POINTING = LazyPattern(
    r"(?i)(?:it|this|that|these|those|them|he|she|they|what|when|where|why|who|how)\b"
    r"|[这那它他她]|什么|怎么|哪|谁|上面|下面|刚才|以上|一下"
)
_TELLING = LazyPattern(r"\S+(?:\s+\S+)+|.{4,}")
_CLAUSES = LazyPattern(r"(?i);\s*|,\s+(?=(?:and|but|my|our|i|we|the)\b)|[，；]\s*")
"""Where a clause ends; a comma within a list of things ends none."""
_FURTHER = LazyPattern(rf"(?xi)\A\W*{_LEAD}{_LEAD_ZH}")


def find_request(sentence: str) -> int | None:
    """Return where the words to be remembered begin, in a sentence that begins with a request.

    None where it does not begin with one; the length of the sentence where nothing follows.

    >>> find_request("Remember that I'm allergic to nuts")
    14
    """
    lead = _REMEMBER.regex.match(sentence) or (
        None if sentence.isascii() else _REMEMBER_ZH.regex.match(sentence)
    )
    return _find_order(sentence) if lead is None else lead.end()


def _find_order(sentence: str) -> int | None:
    lead = _REMEMBER_TO.regex.match(sentence)
    if lead is None or guess_type(sentence[lead.end() :]) is not MemoryType.RULE:
        return None
    return lead.end()


def stands_alone(words: str) -> bool:
    """Check whether words can be understood without those before them."""
    return bool(_TELLING.regex.match(words)) and not _POINTING.regex.match(words)


def leave_out_secrets(words: str) -> str:
    """Return what words say from one clause to another, without those that held a secret.

    They are returned as they are where no secret was redacted in them. Clauses that stand together
    are returned together, the first of them that hold none; empty where each holds one.

    >>> leave_out_secrets("my PIN is [redacted:pin], and my daughter is called Ada")
    'my daughter is called Ada'
    """
    if REDACTED not in words:
        return words
    ends = [match.span() for match in _CLAUSES.regex.finditer(words)]
    starts, stops = [0, *(end for _, end in ends)], [*(start for start, _ in ends), len(words)]
    clauses = list(zip(starts, stops, strict=True))
    is_plain = [REDACTED not in words[start:stop] for start, stop in clauses]
    if True not in is_plain:
        return ""
    first = is_plain.index(True)
    last = is_plain.index(False, first) if False in is_plain[first:] else len(clauses)
    return drop_lead(words[clauses[first][0] : clauses[last - 1][1]].strip())


def drop_lead(words: str) -> str:
    """Return words without what only leads over to them: "and", 还有."""
    return _FURTHER.regex.sub("", words, count=1)

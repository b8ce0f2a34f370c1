"""Vetoes: text that is meant otherwise than it reads, whatever a classifier says of it.

Irony and a part to play ask for nothing that is to hold from now on.
"""

from memoria.language.pattern import LazyPattern
from memoria.language.words.script import reads_chinese


def find_draft(text: str) -> int:
    """Return where a text begins to give somebody a part to play; its length where none does."""
    match = _PART.regex.search(text)
    return len(text) if match is None else match.start()


def is_meant_otherwise(sentence: str) -> bool:
    """Check whether a sentence is ironic, though word for word it is an order or a request."""
    irony = _IRONY_ZH if reads_chinese(sentence) else _IRONY
    return bool(irony.regex.search(sentence))


_SHOUTED = r"\b(?-i:LOVE|LOVES|ADORE|ENJOY|LIKE|SO|GREAT)\b"
_TAKEN_BACK = r"(?:,|\s[-–—]|…|\.\.\.)\s*not\W*$"
_IRONY = LazyPattern(
    rf"""(?xi)
      \bi\s(?:just|so|really|absolutely|simply|totally)?\s?(?:love|adore|enjoy)\s(?:it\swhen|waiting|being\s(?:ignored|woken|stuck|told)|spending\s(?:hours|my)|paying|debugging)
    | ^\W*(?:(?:yeah|oh|wow|great|super|lovely|fantastic|brilliant)\b[\s,.!]*){{1,3}}i\sjust\b
    | {_SHOUTED} | {_TAKEN_BACK}
    """
)
_IRONY_ZH = LazyPattern(r"[我俺](?:可)?太(?:爱|喜欢)|可真?是(?:太|爱|喜欢)|才怪|呵呵|开玩笑")
_PART = LazyPattern(
    r"""(?xi)(?:^|(?<=\w)[^\w\n]*+\n)\W*+(?:(?:you\sare|you['’]re)\s(?:now\s)?(?:an?|the)\s|imagine\b|pretend\b|let['’]?s\s(?:role-?\s?play|play\s?[:,]|pretend|imagine)|act\sas\b
      |play\sthe\srole|in\sthis\sstory|假设|假装|想象|扮演|请?你扮演|你现在是|现在你是|我们来玩)
    | \bfrom\snow\son,?\syou(?:['’]re|\sare|['’]ll\sbe|\swill\sbe)\s(?:an?\s|the\s|(?-i:[A-Z]))
    | 从现在(?:起|开始)[，,]?你就?是"""
)

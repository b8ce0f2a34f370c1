"""Directions: memories that tell the agent what to do, and the word they rest on.

A rule or a preference directs whoever reads it, and so does whatever is worded like a standing
order: "From now on run X before each commit". It is the user's where they have said it themselves.
What an assistant says it has read on a page is the page's word, whoever repeats it.
"""

from typing import Literal

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.names.keys import USER, subject_key
from memoria.language.pattern import SmallPattern
from memoria.language.reading.literal import share_of_words
from memoria.language.reading.own_words import BLOT, blot_presented_text
from memoria.language.statements.orders import instruction_shaped, is_standing_order
from memoria.model import MemoryType, Role, StoredTurn, Trust

Doubt = Literal["assistant", "pasted", "unclear"]
"""Reason why a direction waits for the user: an assistant or a tool says it, the user has only
presented it, or said something else."""
_AGENTS = frozenset("assistant agent ai model you claude copilot 助手 助理 模型 你".split())
_LEAST_SHARE = 0.3
"""Least share of an order's words that stand in the user's own: it is reworded, not invented."""
_CLAUSES = lazy_regex(r"[.!?。！？；;，,:：\n—()（）\"“”]+\s*")
_STANDING = SmallPattern(
    r"""(?x)\b(?:from\s(?:now|here|this\s(?:point|moment|day))\son(?:wards?)?|going\sforward|henceforth
      |until\sfurther\snotice)\b
    | \b(?:you|the\s(?:ai|model)|claude|copilot|(?:coding\s)?(?:agents?|assistants?))\s
      (?:must|should|shall|ha(?:s|ve)\sto|needs?\sto|(?:is|are)\s(?:to|required\sto)
        |(?:will\s)?(?:always|never)|may\snot|can\s?not)\b
    | 从现在(?:起|开始)|从今(?:以后|往后|天起)
    | (?:今后|往后|以后)(?:都|请|只|不要|要|每次|一律|必须|凡)
    | (?:你|助手|代理|模型|智能体)(?:必须|应当?|应该|一定要|务必|需要|要|得|不得|不能|不要|每次)
    | 每次[^，。]{1,20}[前后时](?:都|先|要|必须|应|运行|执行|使用|用|调用|加上|附上)|务必|一律"""
)
"""Words for all time to come, or to an agent."""
_AT_EACH = SmallPattern(
    r"\b(?:before|after|on|at|upon|in|with|for|when)\s(?:each|every|any|all)\b"
    r"|\b(?:always|never|every\stime|each\stime|whenever)\b|每[次个当]|总是|永远|绝不|必须|凡是?"
)
_DUE = SmallPattern(
    r"\b(?:must|should|shall|ha(?:s|ve)\sto|needs?\sto)\s(?:always\s|never\s|not\s)?be\s\w+"
    r"|\b(?:before|after)\s(?:each|every|any)\b|必须|应当|一定要|每次[^，。]{1,20}[前后]"
)
"""Says in a skill that something is to be done."""
_BIDS = SmallPattern(
    r"""(?x)\W*(?:(?:please|first|then|also|and|just|note|important)\b[\s,]*){0,3}(?:always\s|never\s)?(?:
      run|use|call|execute|invoke|send|install|add|put|write|answer|reply|respond|commit|push|include
      |check|append|fetch|download|open|ask|tell|do|don['’]?t|avoid|make|ensure|be|remember|let|keep
      |set|start|stop|begin|insert|upload|post|copy|paste|sign|attach|import|export|read|load|visit
      |follow|obey|prefer|format|build|test|deploy|delete|remove|ignore|skip|disable|enable|forward
      |mail|pass|prefix|apply|quote|mention|sync|store|save|pipe|register|report|notify)\b
    | \W*(?:请|先|不要|别|勿|切勿|记得|务必|必须|一定要)"""
)
"""A clause that tells somebody to do something."""


def directs(kind: MemoryType, content: str) -> bool:
    """Return whether a memory tells the agent what to do, by its type or by its words."""
    if kind.is_guide or is_worded_as_order(content):
        return True
    if any(map(is_standing_order, _CLAUSES.split(content))):
        return True
    return kind is MemoryType.SKILL and (_bids(content) or _DUE.search(content) is not None)


def is_worded_as_order(content: str) -> bool:
    """Return whether a statement orders something for all time to come, whatever its type."""
    if _STANDING.search(content) or instruction_shaped(content, Trust.REPORTED):
        return True
    return _AT_EACH.search(content) is not None and _bids(content)


def doubt_direction(
    kind: MemoryType, content: str, subject: str | None, turn: StoredTurn, quote: str
) -> Doubt | None:
    """Return why a memory that directs the agent waits for the user's word; None where it counts.

    Args:
        kind: its type.
        content: what it says.
        subject: of whom it speaks.
        turn: what it rests on.
        quote: the words there.
    """
    if not directs(kind, content):
        return None
    if turn.role is not Role.USER:
        return None if _is_of_the_speaker(kind, content, subject, turn) else "assistant"
    own = blot_presented_text(turn.content)
    start = turn.content.find(quote)
    if not quote or start < 0 or not own[start : start + len(quote)].strip(f"{BLOT}\n "):
        return "pasted"
    share = share_of_words(content, own)
    return None if share >= (_LEAST_SHARE if _binds(kind, content) else 0.01) else "unclear"


def _bids(content: str) -> bool:
    return any(map(_BIDS.match, _CLAUSES.split(content)))


def _binds(kind: MemoryType, content: str) -> bool:
    """Return whether it is an order; a preference is often told in other words altogether."""
    return kind.is_binding or kind is not MemoryType.PREFERENCE or is_standing_order(content)


def _is_of_the_speaker(
    kind: MemoryType, content: str, subject: str | None, turn: StoredTurn
) -> bool:
    """Return whether a person in an assistant's place tells what they like themselves."""
    if kind is not MemoryType.PREFERENCE or not subject or turn.role is not Role.ASSISTANT:
        return False
    name = subject_key(subject)
    is_own = turn.speaker is not None and subject_key(turn.speaker) == name
    return is_own and name not in _AGENTS | {USER} and not _AT_EACH.search(content)

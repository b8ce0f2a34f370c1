"""Orders: text that tries to instruct the memory or the agent, and memories that direct the agent.

The speaker decides if an order is an attack. "Always answer in English" is a rule when the user
says it and an attack when a web page does. "Ignore all previous instructions" is an attack from
anybody, because users word their wishes more simply. What an assistant says it has read on a page
is the page's word, whoever repeats it.
"""

import unicodedata
from typing import Literal

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import SmallPattern, has_any
from memoria.language.names.keys import USER, subject_key
from memoria.language.reading.fences import INVISIBLE
from memoria.language.reading.own_words import BLOT, blot_presented_text
from memoria.language.reading.quotes import share_of_words
from memoria.model import MemoryType, Role, StoredTurn, Trust


def instruction_shaped(text: str, trust: Trust) -> bool:
    """Check whether a text tries to give instructions to the memory or to the agent.

    Args:
        text: as it came in; invisible characters and look-alike letters are normalised first.
        trust: of its channel. In a tool's output every instruction counts.
    """
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).casefold()
    if has_any(plain, _BLATANT_SIGNS) and _BLATANT.search(plain):
        return True
    return trust is Trust.TOOL and bool(_ORDERS.search(plain))


def is_standing_order(sentence: str) -> bool:
    """Check whether a sentence begins as an order for all time to come: "From now on always …"."""
    return bool(_STANDING.match(sentence))


_INVISIBLE = lazy_regex(f"[{INVISIBLE}]")
_BLATANT_SIGNS = (
    *("ignor", "disregard", "forget", "overrid", "bypass", "<", "inst]", "system", "developer"),
    *("dan", "mode", "jailbroken", "unrestricted", "approv", "authori", "consent", "permit"),
    *("trust", "whitelist", "allow", "忽略", "无视", "忘记", "忘掉", "不要理会", "绕过", "覆盖"),
    *("系统", "批准", "授权", "同意", "允许", "信任", "许可", "你现在"),
)
"""Word parts; every text that `_BLATANT` finds has one of them."""
_BLATANT = lazy_regex(
    r"""(?x)
    \b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|bypass(?:ing)?)\b\W{1,3}(?:\w+\W{1,3}){0,4}?
      (?:previous|prior|above|earlier|preceding|existing|your|system|all)\W{1,3}
      (?:\w+\W{1,3}){0,2}?
      (?:instructions?|prompts?|rules|guidelines|directives|programming|safeguards)\b
    | <\|?(?:im_start|im_end|system|endoftext|start_header_id)\|?> | \[/?inst\] | <</?sys>>
    | (?:^|\n)\W{0,4}(?:system\s(?:prompt|message|override)|developer\smessage)\s?:
    | (?:^|\n)\W{0,4}system\s?:\s{0,4}
      (?:you|ignore|always|never|do\snot|from\snow\son|the\s(?:user|assistant))\b
    | \b(?:reveal|print|repeat|leak)(?:ing)?\s(?:\w+\s){0,3}system\sprompt\b
    | \byou\sare\snow\s(?:dan|in\s(?:developer|debug|god|admin)\smode|jailbroken|unrestricted)\b
    | \b(?:store|remember|save|record|note|memori[sz]e|persist|add\sto\s(?:your\s)?memory)\b.{0,60}
      \b(?:user|customer|owner|admin\w{0,10}|account\sholder)\b.{0,40}
      \b(?:pre-?)?(?:approv|authori[sz]|consent|permit|trusts?\b|whitelist|allow)
    | \b(?:user|customer|owner|account\sholder)\b.{0,30}
      \b(?:pre-?)?(?:approv|authori[sz]|consent)\w{0,10}\s(?:\w+\s){0,2}?(?:all|any|every|future)\b
    | (?:忽略|无视|忘记|忘掉|不要理会|绕过|覆盖).{0,6}
      (?:之前|以前|先前|此前|以上|上面|前面|上述|所有|全部|一切|系统|你).{0,6}
      (?:指令|指示|提示词?|规则|命令|设定|限制)
    | (?:^|\n)\W{0,4}系统(?:提示词?|指令)\s?[:：]
    | (?:记住|储存|存储|保存|记录|写入记忆).{0,30}(?:用户|客户|主人|机主).{0,20}
      (?:批准|授权|同意|允许|信任|许可)
    | (?:用户|客户|主人|机主).{0,12}(?:批准|授权|同意|允许)了?(?:所有|一切|任何|全部|今后)
    | 你现在(?:进入|处于|已?切换到?|是).{0,6}(?:开发者|调试|越狱|上帝|无限制|管理员)
    """
)
_ORDERS = lazy_regex(
    r"""(?x)
    \b(?:you|the\s(?:assistant|agent|ai|model|llm))\s
      (?:must|should|shall|have\sto|need\sto|are\s(?:to|required))\b
    | \byou\sare\snow\b | \bfrom\snow\son\b | \bact\sas\b | \bnew\sinstructions?\b
    | (?:^|[.!?:;\n]\s{0,4})\W{0,4}(?:please\s|important:?\s|note:?\s|attention:?\s){0,2}
      (?:always|never|do\snot|don['’]?t)\s
      (?:answer|reply|respond|use|call|send|tell|mention|reveal|ask|run|execute|approve|delete
        |trust|store|remember|forward)\b
    | \b(?:do\snot|don['’]?t|never)\s(?:tell|inform|mention|reveal|notify|alert)\b.{0,30}\buser\b
    | \b(?:remember|store|save|memori[sz]e|persist|record|note)\s
      (?:this|that|the\sfollowing|in\s(?:your\s)?(?:long-?term\s)?memory|to\smemory)\b
    | \b(?:add|write|save|commit)\b.{0,60}
      \b(?:to|in|into)\s(?:your\s|the\s)?(?:long-?term\s)?memory\b
    | \b(?:call|invoke|use|run)\sthe\s\S{1,40}\s(?:tool|function)\b
    | \bon\sbehalf\sof\sthe\suser\b
    | \bthe\suser\s(?:wants|asked|said|prefers|likes|has\sasked|would\slike|confirmed)\b
    | (?:你|助手|代理|模型)(?:必须|应当?|应该|一定要|务必|需要) | 从现在(?:起|开始)
    | 以后(?:都|请|只|不要) | 记住|牢记|写入记忆|存入记忆|保存到记忆
    | (?:不要|别|切勿)(?:告诉|通知|提醒|告知)用户
    | 用户(?:想要?|要求|说过?|喜欢|偏好|希望|已确认)
    """
)
_STANDING = lazy_regex(
    r"""(?xi)\W*(?:(?:and|but|so|also|please|kindly|note|important|remember(?:\sthat)?)\b[\s,:]*){0,3}
      (?:from\snow\son|going\sforward|henceforth|in\s(?:the\s)?future|as\sof\s(?:now|today)|always|never(?!\s(?:mind|again))
        |whenever\s(?:you|the\suser)|every\stime\s(?:you|the\suser)|remember\sthat|the\suser\s(?:wants|prefers|has\sapproved))\b
    | \W*(?:(?:请|另外|注意|记住|务必)[，,:：]?){0,2}
      (?:以后|今后|往后|从今(?:天|以后|往后)|从现在(?:起|开始)|从即日起|一律|永远|始终|务必|凡是?|每次|记住|用户(?:要求|希望|已))"""
)
Doubt = Literal["assistant", "pasted", "unclear"]
"""Reason why a direction waits for the user: an assistant or a tool says it, the user has only
presented it, or said something else."""
_AGENTS = frozenset("assistant agent ai model you claude copilot 助手 助理 模型 你".split())
_LEAST_SHARE = 0.3
"""Least share of an order's words that stand in the user's own: it is reworded, not invented."""
_CLAUSES = lazy_regex(r"[.!?。！？；;，,:：\n—()（）\"“”]+\s*")
_FOR_ALL_TIME = SmallPattern(
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
    if _FOR_ALL_TIME.search(content) or instruction_shaped(content, Trust.REPORTED):
        return True
    return _AT_EACH.search(content) is not None and _bids(content)


def doubt_direction(
    kind: MemoryType, content: str, subject: str | None, turn: StoredTurn, quote: str
) -> Doubt | None:
    """Return why a memory that directs the agent waits for the user's word; None if it need not.

    Args:
        kind: the memory's type.
        content: its wording.
        subject: of whom or what it speaks.
        turn: the turn that it rests on.
        quote: the words of the turn that it rests on.
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
    """Return whether a statement is an order, which a mere preference is not."""
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

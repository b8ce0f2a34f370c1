"""Withheld text: statements that their speaker asks not to have remembered.

"Don't remember this: I live in Oslo." Whoever says so means the statements beside it, before or
behind it. So rules take nothing at all from such a turn: a statement too few can be said again, one
too many is what was not to be.

What is asked must be about what is said: this, that, it, a statement. "Never store passwords in the
repo" is an order about the work, "Don't forget that …" asks to remember, and "From now on don't
save it" speaks of other turns.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import SmallPattern, has_any, small_letters

REACH = 500
"""Number of characters before a request that are read; it bounds the cost of many requests."""
_STANDING = r"\b(?:from\snow\son|always|in\s(?:the\s)?future)\b|以后|今后|从现在|从今|每次"
_STANDS = lazy_regex(_STANDING, re.IGNORECASE)
_STANDS_ALONE = lazy_regex(rf"(?:{_STANDING})(?:\s?(?:on|起|开始))?\W*", re.IGNORECASE)
_CLAUSES = lazy_regex(r"(?i)[,，、:：—–(（]|\s-\s|\b(?:and|but|so)\b|但是?|不过|而且")
_OF_A_THING = lazy_regex(
    r"""(?xi)\b(?:it|these|those)(?:\sdown)?\W*$
    | \b(?:it|these|those)\s(?:\w{1,12}\s)?(?:secret|private|quiet|confidential)\b
    | 它 | ^[^这那此我记]*[存留][^这那此我记]*$"""
)
"""Speaks perhaps of a thing in the order: "Always generate a key, and keep it secret"."""


def is_for_other_times(sentence: str, found: re.Match[str]) -> bool:
    """Return whether a request in a sentence belongs to a standing order that begins earlier."""
    asked = found.group().lstrip(" \t,，、:：—–-(（")
    start = found.end() - len(asked)
    before = sentence[max(0, start - REACH) : start]
    if not _STANDS.search(before):
        return False
    clauses = _CLAUSES.split(before)
    ahead = [one for one in clauses[:-1] if one and one.strip()]
    is_own = not _STANDS.search(clauses[-1])
    is_told = bool(ahead) and not _STANDS_ALONE.fullmatch(ahead[-1].strip())
    return not (is_own and is_told) or _OF_A_THING.search(asked) is not None


class _Wording(NamedTuple):
    """Wording by which somebody asks not to have something remembered."""

    signs: tuple[tuple[str, ...], ...]
    """Groups of words; a sentence with the wording has a word of each group."""
    pattern: SmallPattern


def asks_not_to_remember(own_text: str) -> bool:
    """Check whether a text, of which foreign parts are blotted out, asks not to be remembered."""
    small = small_letters(own_text)
    wordings = list(_wordings_for(small))
    sentences = _SENTENCES.split(small) if wordings else ()
    return any(_is_asked(wording, sentence) for sentence in sentences for wording in wordings)


def is_told_aside(own_text: str) -> bool:
    """Check whether a text that asks not to be kept is told in confidence, and may be kept as such.

    "Between us" is told to somebody; "off the record" and "don't save this" are told to nobody.
    """
    small = small_letters(own_text)
    asked = [one for one in _wordings_for(small) if one not in _TOLD_ASIDE]
    sentences = _SENTENCES.split(small)
    strictly = any(_is_asked(one, sentence) for sentence in sentences for one in asked)
    return not strictly and not has_any(small, _OFF_THE_RECORD)


def _wordings_for(text: str) -> Iterator[_Wording]:
    """Yield the wordings that a text may have, by a quick look for their words."""
    for wording in _WORDINGS if text.isascii() else _WORDINGS + _WORDINGS_ZH:
        if _has_signs(wording, text):
            yield wording


def _is_asked(wording: _Wording, sentence: str) -> bool:
    if not _has_signs(wording, sentence):
        return False
    return any(
        not _depends(sentence, found) and not is_for_other_times(sentence, found)
        for found in wording.pattern.finditer(sentence)
    )


def _depends(sentence: str, found: re.Match[str]) -> bool:
    """Check whether a request depends on a condition, in its own clause or at the beginning."""
    ahead = sentence[max(0, found.start() - REACH) : found.start()]
    own = _CLAUSE.split(ahead)[-1] if found.group()[:1] not in _CLAUSE_ENDS else ""
    return _IF_FIRST.search(ahead) is not None or _IF.search(own) is not None


def _has_signs(wording: _Wording, text: str) -> bool:
    return all(has_any(text, group) for group in wording.signs)


_SENTENCES = lazy_regex(r"[.!?。！？；;\n]+")
_BEGIN = r"""(?:^|[^\w\s'’]|\b(?:and|but|so|because)\s)
    \W{0,6}(?:(?:and|but|so|or|also|please|pls|plz|kindly|just|ok|okay|well|oh|hey|hi|btw|actually
      |then|though|again|now|fyi|important|note|you|let['’]?s)\b[\s,:]{0,4}){0,4}"""
"""Begins a clause that tells whoever listens what to do: not "I don't remember"."""
_DO_NOT = r"(?:do\s?n['’]?t|do\snot)"
_NO = rf"""(?:(?:{_DO_NOT}|never|not\sto|stop|avoid|without|let['’]?s\snot
      |no(?=\s\w+ing\b)|(?:(?:there['’]?s|there\sis)\s)?no\s(?:need|reason)\s(?:for\syou\s)?to
      |{_DO_NOT}\s(?:need|have)\sto|need\s?n['’]?t|need\snot
      |(?:must|should|may|can|shall)(?:\s?n['’]?t|\s?not))
    | (?:can|could|would|will)\syou\s(?:please\s)?not
    | (?:i['’]?d|i\swould)\s(?:rather|prefer|like|appreciate)\s(?:it\s)?(?:if\s|that\s|for\s)?you\s
      (?:not(?:\sto)?|to\snot|did\s?n['’]?t|did\snot|{_DO_NOT}|would\s?n['’]?t)
    | i\s{_DO_NOT}\swant\syou\sto | i\s(?:want|need|ask)\syou\s(?:not\sto|to\snot))
    \s(?:(?:ever|please|actually|just|even|bother\sto|try\sto|you\sdare)\s){{0,2}}"""
_NO_SIGNS = (
    *("n't", "n’t", "dont", "nt ", "not", "never", "stop", "avoid", "without", "no ", "forget"),
)
_IT = r"(?:this|that|it|these|those)"
_MEMORY = r"(?:(?:your|the|any|long[ -]term)\s){0,2}memory"
_END = rf"""(?=\s*$|\s*[,:()\[\]"“”—–…\ufffc]|\s+-|\s(?:down|anywhere|please|pls|thanks?|ok(?:ay)?
      |though|either|permanently|forever|at\sall|about\sme|on\sfile|(?:in|into|to|from)\s{_MEMORY}
      |for\s(?:later|me|now|good|ever|next\stime|(?:the\s)?future)|but|because|since
      |(?:and|or|so)\s(?:i|my|we|our|please|do|never|forget)|i|i['’]\w+|my|we|we['’]\w+|our)\b)"""
"""Ends a request, so that it is no thing of the work: not "Don't save it to the desktop"."""
_ABOUT_ME = r"""(?:name|age|address|birthday|phone(?:\snumber)?|number|e-?mail(?:\saddress)?|job
    |salary|religion|illness|condition|diagnosis|health|location|data|details)"""
_SAID = rf"""(?:
      {_IT}(?:\s(?:one|part|bit|fact|details?|info(?:rmation)?|message|conversation|chat|statement
        |sentence))?{_END}
    | (?:any|anything|nothing)\s(?:of|from|in|about)\s(?:{_IT}|here|me|what\si)\b
    | my\s{_ABOUT_ME}{_END}
    | (?:what|anything|everything|whatever)\s(?:i|i['’](?:m|ve|ll)|i\s\w+)\s(?:just\s)?
      (?:say(?:ing)?|said|tell|told|mention\w*|shar\w+|wrote|write)\b
    | that\s(?:i|i['’]\w+|my|we|we['’]\w+|our)\b | the\s(?:following|above){_END})"""
_TOLD = rf"""(?:{_IT}|i|me|i['’]\w+|what|where|who|how|anything|everything|any\sof|the\sfact
    |the\s(?:following|above|next)|my(?!\s(?:old|former|previous|last|ex|earlier)\b))\b"""
"""Follows "remember", without a certain end, since nothing of the work is remembered."""
_KEEP = r"""(?:sav(?:e|ing)|stor(?:e|ing)|keep(?:ing)?|record(?:ing)?|not(?:e|ing)(?:\sdown)?
    |log(?:ging)?|retain(?:ing)?|persist(?:ing)?|writ(?:e|ing)\sdown|jot(?:ting)?\sdown
    |(?:mak|tak|keep)(?:e|ing)?\s(?:an?\s|any\s)?(?:notes?|records?|memory)\s(?:of|on|about))"""
_KEEP_SIGNS = (
    *("remember", "memor", "mind", "sav", "stor", "keep", "record", "note", "log", "retain"),
    *("noting", "persist", "writ", "jot", "forget"),
)
_REQUEST = SmallPattern(
    rf"""(?x){_BEGIN}{_NO}(?:
      (?:remember(?:ing)?|memori[sz](?:e|ing)|(?:keep|bear)(?:ing)?\sin\smind)
        (?:\s{_TOLD}|(?:,?\s(?:or|and)\s\w+){{1,2}}\s{_SAID}|\s?:\s?(?:i|my|we|our)\b)
    | (?:keep|bear)(?:ing)?\s{_IT}\sin\smind | (?:writ(?:e|ing)|jot(?:ting)?)\s{_IT}\sdown
    | commit(?:ting)?\s{_IT}\sto\smemory
    | (?:put|add)(?:ting|ing)?\s{_IT}\s(?:in|into|to)\s{_MEMORY}
    | {_KEEP}(?:,\s\w+){{0,2}}(?:,?\s(?:or|and)\s\w+(?:\sdown)?)?
        (?:\s{_SAID}|\s?:\s?(?:i|my|we|our)\b))
    | {_BEGIN}forget\s(?:that\s(?:i|my|we|our)|i\s(?:ever\s)?(?:said|told|mentioned))\b"""
)
_KEPT = (
    r"(?:remembered|memori[sz]ed|saved|stored|kept|recorded|noted|retained|persisted|logged"
    r"|written\sdown|jotted\sdown)"
)
_KEPT_SIGNS = (
    *("remembered", "memor", "saved", "stored", "kept", "record", "noted", "retained", "persist"),
    *("logged", "down"),
)
_PASSIVE = SmallPattern(
    rf"""(?x)\b(?:{_IT}|what\si\b[^,]{{0,30}}|none\sof\s{_IT})\s(?:
      (?:should|must|shall|need|may|can|ought|do(?:es)?|is|are)(?:\s?n['’]?t|\s?not)|never)\s
        (?:(?:ever|need|have)\s)?(?:to\s)?(?:be\s)?{_KEPT}\b{_END}
    | \bnothing\b[^,]{{0,30}}\s(?:should|must|is|may)\s(?:to\s)?(?:be\s)?{_KEPT}\b{_END}
    | \bi(?:\s{_DO_NOT}\swant|['’]?d\s(?:rather|prefer)\snot(?:\sto)?\shave)\s{_IT}\s
      (?:to\sbe\s)?{_KEPT}\b"""
)
_ASIDE = SmallPattern(
    rf"""(?x)(?:{_BEGIN}|\b{_IT}(?:['’]s|\s(?:is|stays|remains|(?:has\sto|must)\sstay))\s)
      (?:(?:strictly|totally|completely|fully|all|just|only|speaking|(?:keep|leave)\s{_IT})\s){{0,2}}
      (?:off[ -]the[ -]record\b(?!\s(?:player|label|shel|store|compan))
      |between\s(?:us|the\stwo\sof\sus|you\sand\sme)
        (?=\s*$|\s*[:(\[—–…\ufffc]|\s-|,(?!\swe\b)))
    | {_BEGIN}(?:keep|leave)\s{_IT}\sout\sof\s
      (?:{_MEMORY}|(?:your|the|any)\s(?:notes?|records?)\b)"""
)
_IF_WORDS = r"(?:if|when|whenever|every\stime|each\stime|after|before|once|unless|until)\b"
_IF_ZH = "如果|要是|假如|万一|每当|每次|凡是?|当(?!然)|时候"
_IF = lazy_regex(rf"\b{_IF_WORDS}|{_IF_ZH}")
_IF_FIRST = lazy_regex(
    rf"(?:^|[,:(—–]|\b(?:and|but|so|from\snow\son|always|future)\b)\W*{_IF_WORDS}|{_IF_ZH}"
)
"""Begins a request for other occasions: "If I paste a log, don't keep it"."""
_CLAUSE_ENDS = tuple(",，:：(（—–")
_CLAUSE = lazy_regex("[,，:：(（—–]")
_WORDINGS = (
    _Wording((_NO_SIGNS, _KEEP_SIGNS), _REQUEST),
    _Wording(((*_NO_SIGNS, "none", "nothing"), _KEPT_SIGNS), _PASSIVE),
    _Wording((("record", "between", "out of"),), _ASIDE),
)
_BEGIN_ZH = (
    r"(?:^|[^\w]|但是?|不过|可是|所以|而且)"
    "(?:请|麻烦|拜托|千万|希望|另外|还有|对了|那|你|您|也|就|都|先)*"
)
_NO_ZH = r"""(?:不要|别|不用|不必|不需要|没有?必要|无需|无须|[请切]?勿|不许|不准|不得|不能|不可以?
      |不应?该?|甭|用不着|我?不(?:想|希望|愿意?)(?:让|要)?[你您])(?:[你您再去都]|帮我|给我|替我)*"""
_SPEECH_ZH = "(?:话|事[儿情]?|信息|内容|消息|情况|对话|聊天|部分|秘密|点)"
_ABOUT_ME_ZH = (
    "(?:名字|姓名|地址|住址|电话|手机号?|邮箱|生日|年龄|身份|工作|病情?|隐私|情况|个人信息|信息"
    "|秘密)"
)
_IT_ZH = rf"""(?:
    (?:接下来|下面|后面|刚才)?的?[这那此](?:[一几]?[个句些条段点件番次])?{_SPEECH_ZH}? | 它
    |以[上下](?:的?{_SPEECH_ZH})?
    |(?:上|下|后)面(?:我?[说讲]?的?)?(?:[这那]?[个句些条段])?{_SPEECH_ZH}?
    |我?(?:刚才?|刚刚|现在|接下来|今天)?我?要?(?:[说讲聊提]到?|告诉[你您])的(?:[这那]?些)?{_SPEECH_ZH}?
    |我的{_ABOUT_ME_ZH}|任何{_SPEECH_ZH}?)"""
_CLOSE_ZH = r"(?=$|[^\w]|[了啊哦吧哈呀啦喔嘛呢噢])"
_END_ZH = rf"""(?:下来)?(?:{_CLOSE_ZH}|[在到进入]*[你您]?的?(?:长期)?(?:记忆|心里|脑子|脑海)
    |{_IT_ZH}{_CLOSE_ZH}|我(?:刚才?|刚刚|现在|今天)?(?:[说讲聊提]|告诉))"""
"""Ends a request, so that it is no thing of the work: not 不要把日志保存到桌面."""
_KEEP_ZH = (
    "(?:记录|保存|储存|留存|存储|收录|存[下档起]|存|写下|写进|留[档底]|[留做作]下?记录|留下?痕迹)"
)
_REMEMBER_ZH = "(?:记[住下着好进到在]|牢记|记(?![录得错混反恨仇挂性账帐过者忆分号牌起取功事单笔]))"
_REQUEST_ZH = SmallPattern(
    rf"""(?x){_BEGIN_ZH}(?:{_IT_ZH}(?:[你您请可也都就]|千万|一定|绝对|最好)*)?{_NO_ZH}
      (?:[把将](?:{_IT_ZH}|我[^，,。；：:]{{1,30}}?{_SPEECH_ZH}))?
      (?:{_REMEMBER_ZH}(?:{_END_ZH}|[这那它我此])|{_KEEP_ZH}{_END_ZH}|记录我(?!的|们|[写做改传])
      |[往向在][你您]?的?(?:长期)?(?:记忆|脑子|心)里?[写记存])
    | {_BEGIN_ZH}(?:{_IT_ZH})?不[作做留]记录{_CLOSE_ZH}"""
)
_US_ZH = "(?:我们|咱们?|[你您]我|[我咱]们?俩|[我咱]们两个?人?)"
_ASIDE_ZH = SmallPattern(
    rf"""(?x){_BEGIN_ZH}(?:私下里?|私底下)(?:[跟和对][你您])?[说讲聊]
    | 当[作做]?[我你您]?没听[见到] | {_US_ZH}之间的秘密
    | {_BEGIN_ZH}(?:[这就只限仅]|仅限|就当)*{_US_ZH}之间(?:说说?|讲讲?|聊聊?)?{_CLOSE_ZH}"""
)
_WORDINGS_ZH = (
    _Wording((tuple("别不勿无没甭"), tuple("记存写留")), _REQUEST_ZH),
    _Wording((("私下", "私底下", "之间", "没听"),), _ASIDE_ZH),
)
_TOLD_ASIDE = (_WORDINGS[-1], _WORDINGS_ZH[-1])
_OFF_THE_RECORD = ("off the record", "off-the-record", "out of", "没听")

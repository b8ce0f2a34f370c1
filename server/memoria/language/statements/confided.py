"""Confided text: the condition on which a speaker tells something, in their own words.

What is told in confidence ("don't tell anyone", 别告诉别人) may be found by who asks, with its
condition, and is told to nobody who has not asked. What is not to be kept at all ("keep this
nowhere", 当我没说) is in no answer. `withheld` has further ways to ask for that.

A request means what stands beside it. One that stands alone ("Please keep that to yourself."), or
that says so ("what I just told you stays between us"), means what its speaker said before.

All repetition in the patterns is bounded, so that none takes more than its text's length. English
is written in small letters. What stands behind a pattern's end keeps out the words of the work: "a
secret key", "keep it private by default", 保密协议.
"""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import SmallPattern, has_any, remember_results, small_letters
from memoria.language.reading.own_words import BLOT, blot_foreign_text
from memoria.language.statements.withheld import (
    asks_not_to_remember,
    is_for_other_times,
    is_told_aside,
)
from memoria.language.words.analyser import query_terms
from memoria.model.memory import Condition

_END = r"(?=\s*$|\s*[,:;)(\]\[—–…\ufffc.!?]|\s-)"
_END_ZH = r"(?=$|[^\w]|[了啊哦吧哈呀啦呢的噢]+(?:$|[^\w]))"
_KIN = r"""(?:(?:my|our|the)\s(?:\w{1,12}\s)?(?:boss|bosses|manager|team|wife|husband|partner
      |mom|mum|mother|dad
    |father|parents?|family|sister|brother|colleagues?|co-?workers?|employer|company|kids|children
    |friends?|girlfriend|boyfriend|roommate|flatmate|landlord|teacher|coach|doctor|hr|others
      |rest))"""
_ANYBODY = (
    r"(?:any(?:one|body)(?:\selse)?|a\s(?:living\s|single\s)?soul|others|other\speople|people|"
    rf"{_KIN})"
)
_NAMED = rf"(?:{_ANYBODY}|(?!you\b|me\b|it\b|us\b|the\b|users?\b|git\b)\w{{2,15}})"
_DO_NOT = r"""(?:do\s?n['’]?t|do\snot|never|not\sto|let['’]?s\snot|better\snot|without
    |you\s(?:must|can|may|should)(?:\s?n['’]?t|\s?not))\s(?:(?:ever|please|you\sdare|go)\s)?"""
_THIS = r"(?:(?:any|all)\sof\s)?(?:this|that|it|these|those)"
_TOLD = r"what\si(?:['’]\w{1,3})?\s[^,.!?\n]{1,40}?"
_US = r"(?:us(?:\stwo)?|you\sand\s(?:me|i)|the\stwo\sof\sus|ourselves)"
_HUSHED = rf"""(?:to\syourself|between\s{_US}|in\sconfidence|confidential|hush[ -]hush|secret
    |under\s(?:your\shat|wraps)|on\sthe\s(?:down-?low|quiet)|a\ssecret|quiet|private)"""
_OF_WORK = r"""(?!\s?(?:key|keys|repo|repositor|branch|token|sauce|santa|ingredient|weapon|store
      |manager
    |by\sdefault|method|field|class|function|variable|channel|network|mode|room|beach|school
      |beta))"""
_WORKS = r"""(?:repo|repository|repositories|branch|keys?|tokens?|fields?|api|class|methods?
    |modules?|functions?|variables?|endpoints?|bucket|package|registry|code|files?|logs?|constructor)\b"""
SILENCE = SmallPattern(
    rf"""(?x)
    \b{_DO_NOT}(?:
      tell(?:ing)?\s(?:{_ANYBODY}|(?:this|that|it)\sto\s{_ANYBODY})\b(?!\s(?:how|to|which|where)\b)
    | (?:say|breathe)\s(?:a\sword|any\sof\sthis|anything|this|that|it)\sto\s{_NAMED}\b
    | (?:say|breathe)\sa\sword\b
    | (?:shar|repeat|pass|spread|mention|discuss)(?:e|ing)?\s(?:{_THIS}|anything
      |{_TOLD})\s(?:on\s|around\s)?
      (?:(?:with|to|in\sfront\sof)\s{_NAMED}|around|further|outside)\b
    | let\s{_THIS}\s(?:get\sout|slip|out|leave\s(?:this|the)\s(?:room|chat|conversation))\b
    | let\s{_ANYBODY}\s(?:know|find\sout|hear)\b
    | bring\s{_THIS}\sup\s(?:with|to|in\sfront\sof)\b)
    | \b(?:tell|mention\s{_THIS}\sto|say\s{_THIS}\sto|not\sa\sword\sto)\s
      (?:no\sone|nobody)\b(?!['’]s)
    | \bnot\sa\sword\sto\s{_NAMED}\b | \b(?:mum|mom)['’]?s\sthe\sword\b
    | \b(?<!\bi\s)(?:keep|keeping|leave)\s(?:{_THIS}|{_TOLD}
      |(?:my|the)\s(?![^,.!?\n]{{0,30}}\b{_WORKS})[^,.!?\n]{{1,40}}?)\s
      (?:(?:strictly|just|all|only|please|as)\s)?{_HUSHED}\b{_OF_WORK}
    | \bi\s(?:do\s?n['’]?t|do\snot)\swant\s{_ANYBODY}\sto\s(?:ever\s)?
      (?:know|hear|find\sout|learn)\b(?!\s(?:how|which|where)\b)
    | (?:^\W*|\bwant\s)(?:nobody|no\sone)\sto\s(?:ever\s)?(?:know|find\sout)\b(?!\show\b)
    | \bkeep\s(?:quiet|mum|silent)\sabout\s(?:{_THIS}|my)\b
    | \b(?:do\s?n['’]?t|do\snot|never)\s(?:spread|repeat|share)\s{_THIS}{_END}
    | \bsay\snothing\s(?:to\s{_NAMED}|about\s{_THIS})\b | \bnot\sa\sword{_END} | ^\W*sh{{2,}}\b
    | \b(?:swore|promised?(?:\sme)?)\s(?:not\sto|you\swon['’]?t)\s(?:tell|say)\b
    | \bcan\syou\skeep\sa\ssecret\b | \btreat\s{_THIS}\sas\s(?:confidential|a\ssecret|private)\b"""
)
"""Asks somebody not to pass on what was told."""
SECRET = SmallPattern(
    rf"""(?x)
    \b(?:between\s{_US})(?=\s*$|\s*[:(\[—–…\ufffc.!]|\s-|,(?!\s?(?:we|there|they|it)\b)
      |\s(?:please|for\snow|ok|okay|but)\b)(?<!difference\sbetween\sus)
    | (?:\b{_THIS}|\b{_TOLD})(?:['’]s|\s(?:is|stays?|remains?|(?:must|has\sto|needs\sto
      |should)\s(?:stay|remain|be))(?:\sstill)?)\s
      (?:(?:strictly|just|all|only|top|highly)\s){{0,2}}
      (?:here{_END}|in\s(?:this|the)\s(?:room|chat)|{_HUSHED}{_OF_WORK}|for\syour\s(?:ears
      |eyes)\sonly
        |not\s(?:yet\s)?public(?:\sknowledge)?(?:\syet)?)
      (?!\s?(?:is|are|we|you|method|variable)\b){_END}
    | \bin\s(?:strict(?:est)?\s|the\sstrictest\s|complete\s|full\s)?confidence(?:{_END}|\sthat\b)
    | (?:^|[.!?\n]\s?)(?:strictly\s|highly\s)?confidential(?:ly)?\s?[:,—–-]
    | \bi(?:['’]m|\sam|['’]ve|\shave)?(?:\s?n['’]?t|\snot)\s(?:yet\s|even\s)?(?:telling
      |told)\s{_ANYBODY}
    | \b(?:nobody|no\sone|not\sa\ssoul)(?:\selse)?\s(?:(?:at|in)\s\w{{1,12}}\s(?:\w{{1,12}}\s)?
      |but\syou\s|here\s)?
      (?:knows?(?:\s(?:about\s)?{_THIS})?(?:\syet)?(?:{_END}|\s(?:i|that\si|but|so)\b)
        |is\sto\sknow|(?:must|should|may|can|has\sto|needs\sto)\s(?:ever\s)?(?:know|find\sout|hear))
    | \b{_KIN}\sdo(?:es)?(?:\s?n['’]?t|\snot)\sknow(?:\syet)?{_END}
    | \b{_KIN}\s(?:must|may|can|should)(?:\s?n['’]?t|\s?not|\snever)\s(?:ever\s)?
      (?:know|find\sout|hear)\b(?!\s(?:how|which)\b)
    | \bnot\s(?:yet\s)?public(?:\sknowledge)?(?:\syet)?(?:{_END}|\sbut\b)
    | \bfor\syour\s(?:ears|eyes)\sonly\b | \bour\s(?:little\s)?secret{_END}
    | \b{_THIS}\s(?:is|stays)\s(?:just|only)\s(?:for|with|between)\s(?:you|us){_END}
    | \bi(?:['’]m)?\strust(?:ing)?\syou\swith\s{_THIS}\b
    | \b{_THIS}\s(?:must|should|can)(?:\s?n['’]?t|\s?not|\snever)\s(?:ever\s)?(?:get\sout|leak
      |leave\s(?:this|the))\b
    | \b{_THIS}\sto\s(?:stay|remain|be\skept)\s(?:private|secret|quiet|confidential
      |between\s{_US})\b
    | \bonly\syou\sknow\b(?!\show) | \bi['’]?(?:ll|m\sgoing\sto)\stell\syou\sa\ssecret\b
    | \byou(?:['’]re|\sare)\sthe\s(?:only|first)\s(?:one|person)\s(?:i\b|who\sknows|to\sknow)"""
)
"""Says that what was told is a secret."""
TAKEN_BACK = SmallPattern(
    rf"""(?x)\b(?:forget|ignore)\s(?:that\s)?i\s(?:ever\s|just\s|even\s)?(?:said|told\syou
      |mentioned)\s
      (?:anything|so\b|{_THIS}){_END}
    | \bforget\s(?:what|everything|all)\si\sjust\s(?:said|told\syou|mentioned|wrote){_END}
    | \b(?:pretend|act\slike|as\sif)\s(?:that\s)?i\s(?:never|did\s?n['’]?t|had\s?n['’]?t)\s
      (?:ever\s)?(?:say|said|told|tell|mention)
    | (?:^|[,;—–]\s?)i\s(?:never|did\s?n['’]?t)\s(?:say|said)\s(?:anything
      |{_THIS})\s?(?:,\sok(?:ay)?)?\s?[.!]?\s*$
    | \byou\s(?:never|did\s?n['’]?t)\shear(?:d)?\s(?:anything|{_THIS})(?:\sfrom\sme)?{_END}
    | 当[作做]?我(?:刚才|刚刚)?(?:什么都?)?没有?[说讲提] | 就当(?:什么都?)?没[说讲提听]过?
      | 就?当[作做]?不知道{_END_ZH}
    | (?:忘了|忘掉|忘记)我(?:刚才?|刚刚)说的"""
)
"""Takes back what was said before, as if it had not been said."""
NOWHERE = SmallPattern(
    rf"""(?x)\b(?:keep|save|store|record|note|write|put|leave)\s(?:{_THIS}|my\s\w{{1,20}}
      |{_TOLD})\s(?:down\s)?nowhere\b
    | \b{_THIS}\s(?:to\sbe\s)?(?:kept|saved|stored|recorded|noted|written)\s(?:down\s)?nowhere\b
    | \b(?:do\s?n['’]?t|do\snot|never)\s(?:ever\s|please\s)?(?:keep|save|store|record|note|write
      |put|log)\s
      {_THIS}\s(?:down\s)?(?:anywhere|at\sall)\b
    | \b(?:delete|erase|remove|wipe|drop)\s(?:{_THIS}
      |what\si\sjust\s\w{{1,10}})\sfrom\s(?:your\s|the\s)?memory\b
    | (?:哪里|哪儿|任何地方|什么地方)(?:都|也)?(?:不要|别|不许|不准)[记存留写] | (?:不要
      |别)在任何地方[记存留写]
    | \b(?:do\s?n['’]?t|do\snot|never)\s(?:put|add|include|enter)\s{_THIS}\s(?:in|into|to)\s
      (?:your|any)\s(?:notes?|records?|memory|memories)\b
    | \bno\s(?:notes?|records?)\s(?:of|on|about)\s{_THIS}\b
    | (?:不要|别)留下?(?:任何)?(?:记录|痕迹|底)"""
)
"""Asks to keep nowhere what was told."""
_NO_ZH = r"(?:不要|别|不许|不能|不准|不可以?|切勿|请勿|勿)(?:再|去|先)?"
_OTHERS_ZH = r"""(?:别人|其他人|任何人|人家|旁人|外人|大家|谁|同事|老板|领导|上司|公司|经理
      |家里人?|他们?|她们?
    |我?(?:妈妈?|爸爸?|爸妈|家人|老公|老婆|先生|太太|女朋友|男朋友|同事|老板|领导|父母|朋友|室友
      |房东|老师))"""
_US_ZH = "(?:我们|咱们?|[你您]我|[我咱]们?俩|[我咱]们两个?人?)"
SILENCE_ZH = SmallPattern(
    rf"""(?x)
    {_NO_ZH}(?:把[^，。；\n]{{1,16}})?(?:告诉|告知|透露给|[说讲传]给){_OTHERS_ZH}
    | {_NO_ZH}(?:把[^，。；\n]{{1,16}})?[跟和对向同给](?:任何)?{_OTHERS_ZH}(?:们)?[说讲提聊透]
    | {_NO_ZH}(?:把[^，。；\n]{{1,16}})?(?:[说讲传泄]出去|透露出去|泄露出去|外传|往外[说讲传]
      |声张|张扬|到处[说讲])
    | (?:{_NO_ZH}|不想|不希望|不愿意?)让(?:任何)?{_OTHERS_ZH}(?:知道|发现|听见|晓得)
    | (?:请|要|帮我|替我|麻烦|务必|一定要?|千万要?|得|先|暂时|记得|希望你|你)保密{_END_ZH}
    | (?:^|[，,。；：:（(\s])(?:绝对)?保密(?=$|[，,。；：:！!）)\s啊哦吧])
    | [替帮]我(?:保守(?:这个)?秘密|瞒着)
    | [这此](?:件?事|个|话)?(?:是|要|得|需要|先|暂时|属于|还)?(?:个|绝对)?(?:保密|秘密
      |机密){_END_ZH}
    | (?:悄悄|偷偷|私下里?|私底下|小声)地?(?:告诉|[跟和对同])[你您](?:[说讲透]|一|[，,：:])
    | [只就](?:[跟和对同]|告诉)[过了]?[你您](?:一个人|一人|[说讲提]|[，,。：:！!]|$)
    | (?:还|暂时|目前|现在|都)没有?(?:其他|别的|任何)?人知道{_END_ZH}
    | (?:谁|别人|任何人|家里人?|同事|老板|领导)(?:也|都)?(?:还)?(?:没|不)(?:告诉|知道
      |[说讲]){_END_ZH}
    | (?:还|暂时|目前)(?:没|没有|不想|不打算)(?:告诉|[跟和对])(?:任何)?{_OTHERS_ZH}
    | {_US_ZH}知道就[行好] | 只有[你您]一?个?人?知道 | (?:告诉|[跟和对])[你您](?:[说讲])?一?个秘密
    | {_NO_ZH}(?:对外)?(?:公开|泄露|泄密|走漏){_END_ZH} | 对外保密(?!级)
    | {_US_ZH}之间的秘密 | [这只就仅][是在限]?(?:限于)?{_US_ZH}之间(?:说说?|讲讲?|聊聊?)?{_END_ZH}
    | 你知我知 | 天知地知 | 烂在肚子里"""
)
FORGET = SmallPattern(r"\b(?:forget|erase|delete|remove|wipe)\b|忘[了掉记]|删[了掉除]|抹掉")
"""Asks to forget something."""
OTHERWISE = SmallPattern(
    r"""(?x)^\W{0,3}(?:(?:and|but|so|from\snow\son|always|in\s(?:the\s)?future)[\s,]{1,2}){0,2}(?:if|when|whenever|unless|why|did|does|would|should|is
      |are)\s
    |\b(?:he|she|they|who|\w{2,15}(?<!\bi))\s(?:said|says|told\sme|asked\s(?:me|us))\b
    |\b(?:users|customers?|clients?|the\s(?:app|api
      |server|code|function))\b
    |如果|要是|假如|为什么|吗$|的时候|他说|她说|用户|客户"""
)
"""A condition, a question, somebody else's request, or an order about the work."""
OF_BEFORE = SmallPattern(
    r"""(?x)\b(?:what|everything|anything|all)\si(?:['’]ve|\shave)?\s(?:just\s)?
      (?:said|told\syou|mentioned|wrote|shared)\b
    | \bmy\s(?:last|previous)\s(?:message|sentence)\b
    | (?:刚才?|刚刚|上面|前面)那[个句件些] | (?:刚才?|刚刚|上面
      |前面)我?[跟和对]?[你您]?我?(?:[说讲聊提]|告诉[你您])[到过]?的"""
)
"""Speaks of what was said before."""
REQUEST_ALONE = SmallPattern(
    r"""(?x)\b(?:do\s?n['’]?t|do\snot|never|no\sneed\sto)\s(?:save|store|keep|record|remember
      |note|write|log)\s
      (?:(?:any\sof\s)?(?:this|that|it))(?:\sdown|\sanywhere|\sin\smind)?
    | \b(?:this\sis\s|that\sis\s)?(?:strictly\s)?off\sthe\srecord
    | (?:这[个句件些]?[事话]?)?(?:不要|别|不用|不必|勿)(?:把[这那]个)?(?:记住?|记下来?|记录
      |存下?|存档|保存)[啊哦吧]?"""
)
"""Matches a request of `language/statements/withheld` alone, without the words beside it."""
SILENCE_NAMED = lazy_regex(
    r"""(?x)\b(?i:(?:do\s?n['’]?t|do\snot|never|can['’]?t|cannot|must\snot)\s(?:ever\s)?(?:tell
      |let(?=\s[A-Z]\w+\s(?:know|find\sout|hear))))\s
      (?!Docker|Git|Claude|Copilot|Cursor|Kubernetes|Python|Java|I\b)[A-Z][a-z]{1,20}\b
      (?!\s(?:to|how|which|where|what)\b)"""
)
"""Asks not to tell somebody whom it names."""
_ASKS = (
    r"(?:ask(?:s|ed)?|sa(?:ys?|id)|t(?:old|ells?)|wants?|wanted|wish(?:es|ed)?|request(?:s|ed)?)"
)
_LEAD_IN = SmallPattern(
    rf"""(?x)^\W{{0,3}}(?:the\s)?user\s(?:has\s|explicitly\s|also\s){{0,2}}{_ASKS}
      (?:\s(?:me|us|you|the\s(?:assistant|agent)))?(?:\s(?:that|to(?!\sbe\b)))?[\s:,]{{1,3}}
    | ^用户(?:明确|特别|还)?(?:要求|请求|说过?|希望|想|叫|让)(?:[我你您])?[：:，,]?
    | ^用户(?=不想|不希望|不愿|私下|私底下|悄悄|偷偷)"""
)
_DENIES = SmallPattern(
    r"(?x)^\W{0,3}(?:the\s)?user\s(?:does(?:\s?n['’]?t|\snot)|did(?:\s?n['’]?t|\snot))\s(?=want\b)"
)


def retell_as_user(statement: str) -> str:
    """Return a statement about a request of the user's in the words of the request alone."""
    denied = _DENIES.match(statement)
    if denied is not None:
        return f"I don't {statement[denied.end() :]}"
    asked = _LEAD_IN.match(statement)
    return statement if asked is None else statement[asked.end() :]


class StatedCondition(NamedTuple):
    """The condition that a turn states."""

    condition: Condition
    of_before: bool
    """True if it is meant of what its speaker said before."""


_MOST_CHARS = 20_000
"""Length beyond which a text is a file or pasted, and is not read."""
_ALL = (TAKEN_BACK, NOWHERE, SILENCE, SECRET, SILENCE_ZH, OF_BEFORE, REQUEST_ALONE)
_SENTENCES = lazy_regex(r"[.!?。！？；;\n]+")
_SIGNS = (
    *("tell", "secret", "confiden", "between", "yourself", "stays", "stay ", "word", "know"),
    *("told", "n't", "n’t", "dont", "not ", "never", "no ", "nowhere", "forget", "record"),
    *("without", "stop", "avoid", "quiet", "wraps", "pretend", "erase", "delete", "remove"),
    *("private", "hush", "need", "trust", "shh", "only", "just", "nothing"),
    *("out of", "off", "leave", "public"),
    *"别 不 密 悄 偷 私 之间 只跟 只和 只对 就跟 就和 就对 告诉 没 勿 知我 瞒".split(),
    *"肚子 无需 无须 甭 忘 知道".split(),
)
"""Word parts; every text that states a condition has one of them."""
_FILLERS = frozenset(
    query_terms(
        "please ok okay thanks thank you just really yet now still promise again so sorry oh"
        " actually 请 好吗 谢谢 哦 啊 吧 拜托 一定 千万 这件事 这个 你 您 了 好 的 也 就 都 我 先"
    )
)


@remember_results(256)
def read_condition(text: str) -> StatedCondition | None:
    """Return the condition on which a speaker tells what a text says, or None."""
    if len(text) > _MOST_CHARS or not has_any(small_letters(text), _SIGNS):
        return None
    own = blot_foreign_text(text)
    condition = _find_condition(own)
    if condition is None:
        return None
    is_alone = not _tells_more(own)
    takes_back = condition is Condition.WITHHELD and TAKEN_BACK.search(own) is not None
    of_before = is_alone or takes_back or OF_BEFORE.search(own) is not None
    return StatedCondition(condition, of_before)


def read_condition_of_statement(statement: str) -> Condition | None:
    """Return the condition that a memory states, in the user's words or in an agent's."""
    read = map(read_condition, (statement, retell_as_user(statement)))
    return max((one.condition for one in read if one), key=tuple(Condition).index, default=None)


def asks_to_forget(text: str) -> bool:
    """Return whether a text names something told earlier that is to be forgotten."""
    if len(text) > _MOST_CHARS:
        return False
    own = blot_foreign_text(text)
    return FORGET.search(own) is not None and TAKEN_BACK.search(own) is None


def _find_condition(own: str) -> Condition | None:
    """Return the strictest condition that a text states, or None."""
    said = [one for one in _SENTENCES.split(own) if one.strip()]
    if any(pattern.search(one) for one in said for pattern in (TAKEN_BACK, NOWHERE)):
        return Condition.WITHHELD
    if asks_not_to_remember(own):
        return Condition.CONFIDED if is_told_aside(own) else Condition.WITHHELD
    asked = (one for one in said if not OTHERWISE.search(one))
    return Condition.CONFIDED if any(map(_is_confided, asked)) else None


def _is_confided(sentence: str) -> bool:
    patterns = (SILENCE, SECRET) if sentence.isascii() else (SILENCE, SECRET, SILENCE_ZH)
    found = chain(SILENCE_NAMED.finditer(sentence), *(one.finditer(sentence) for one in patterns))
    return any(not is_for_other_times(sentence, one) for one in found)


def _tells_more(own: str) -> bool:
    """Return whether a text tells something beside its request."""
    rest = own.replace(BLOT, "")
    for start, end in sorted(_requests_in(rest), reverse=True):
        rest = f"{rest[:start]} {rest[end:]}"
    return BLOT in own or not _FILLERS.issuperset(query_terms(rest))


def _requests_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans in which a text states a condition, in their order; none overlap."""
    spans = sorted(match.span() for pattern in _ALL for match in pattern.finditer(text))
    end = 0
    for start, until in spans:
        if until > end:
            yield max(start, end), until
            end = until

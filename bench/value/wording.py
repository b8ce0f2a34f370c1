"""The words, in English and Chinese, by which the reader tells what a line says."""

import math
import re
from datetime import date
from typing import Final, Literal

# hard, soft, past, use, lean: of the name after them; bad, good: of the name before them;
# turn: from the one before to the one after; over: the one before instead of the one after.
Kind = Literal["hard", "soft", "past", "use", "lean", "bad", "good", "turn", "over", "none"]

_BAD_EN = (
    r"fail\w*|[a-z]{0,30}errors?|[a-z]{0,30}exceptions?|(?-i:E[A-Z]{4,})|tracebacks?|crash\w*|"
    r"broken?|breaks?|hangs?|hung|hanging|stuck|stall\w*|freez\w+|froze|deadlock\w*|segfault\w*|flaky|"
    r"unstable|unreliable|buggy|brittle|slow|tim(?:es|ed) out|timeouts?|"
    r"refused|reject\w*|declined|forbidden|banned|"
    r"prohibited|disallowed|denied|vetoed|objected|disapproved|turned down|voted down|ruled out|"
    r"threw out|thrown out|off[ -]limits|hands off|reversed|reverted|overturned|withdrawn|revoked|"
    r"cancell?ed|scrapped|shelved|ditched|discarded|abandoned|dropped|retired|expired|archived|"
    r"deprecated|obsolete|outdated|superseded|unmaintained|maintenance mode|end of life|EOL|"
    r"removed|deleted|gone|"
    r"missing|lost|loses|wipe[sd]?|destroy\w*|corrupt\w*|ruin(?:s|ed)|"
    r"leak(?:s|ed)|taken|occupied|in use|busy|blocked|unavailable|unreachable|unsupported|"
    r"incompatible|unusable|disabled|wrong|incorrect|mistake|dangerous|risky|insecure|vulnerable|harmful|useless|overkill|"
    r"in vain|complain\w*|annoyed|regret\w*|discouraged|conflict\w*|"
    r"not found|no such file|dead|locked up|killed|"
    r"out of (?:memory|disk|space)|(?:took|brought|takes|brings) [\w ]{0,20}down|went down|"
    r"too (?!long ago)\w+|(?:is|are|was) out|exit(?:ed|s)?(?: with)?(?: code)? [1-9]\d*"
)
_GOOD_EN = (
    r"works?|worked|working|pass(?:es|ed|ing)?|succeed\w*|success\w*|ok|okay|fine|fixed|solved|"
    r"resolved|accepted|approved|confirmed|chosen|picked|selected|agreed|preferred|recommended|"
    r"required|mandated|green|allowed|available|supported|reliable|stable|safe|ready|proven|official|"
    r"free|instead|correct|stays?|finish(?:ed|es)|completed|helped|answer(?:s|ed)?|enough|best|better|"
    r"faster|(?:did|does) the (?:job|trick)|all it takes|what counts|as expected|"
    r"exit(?:ed|s)?(?: with)?(?: code)? 0"
)
_BAD_ZH = (
    r"失败|报错|出错|崩溃|崩了|[搞弄]?挂[掉了]|[搞弄]坏|搞挂|卡住|卡死|死锁|超时|被?占用|被占|坏了|有问题|"
    r"出过?问题|不稳定|不好用|不推荐|不建议|不兼容|不可靠|不同意|反对|否决|拒绝|驳回|推翻|撤销|撤回|作废|"
    r"废弃|废除|淘汰|下线|停止|过时|过期|失效|清空|丢失|丢了|损坏|泄[漏露]|删除|删了|删掉|不存在|不支持|无效|"
    r"没用|没法|无法|没[弄搞做装跑]?[好成]|跑不通|起不来|连不上|装不上|编译不过|用不了|没有?权限|被杀|拦住|"
    r"拦截|不够|不足|禁用|冲突|踩坑|危险|抱怨|后悔|太(?=[^好棒])|不行|取消了"
)
_GOOD_ZH = (
    r"成功|通过|可行|有效|好用|能用|可用|管用|没问题|正常|解决|生效|跑[通完过]|完成|搞定|弄好|顺利|确认|选定|"
    r"敲定|拍板|批准|同意|稳定|空闲|放行|可靠|靠谱|安全|不错|最好|更好|够了|足够|就[行好过]|就可以|就够|答复"
)
_NOT_EN = (
    r"(?:not|never|no longer|[a-z]{1,8}n't|cannot|hardly|without|no)(?: (?:been|be|yet|ever|any))?"
)
_NOT_ZH = r"(?:从未|从没有?|没有?|不再|不会|未曾?|不|无)"
_DO = r"(?: (?:be )?(?:use|used|run|start|call|pick|choose|install|try|touch|edit|add|import))?"
_GO_ZH = r"换|改|切换?|迁移?|替换|升级?|降级?|挪|移动?|搬|转|改名|重命名"
# At one place the first kind that matches has it. \0 stands where an option is named.
CUES: Final[tuple[tuple[Kind, str], ...]] = (
    ("use", r"(?:don't|do not|never|must not) (?:forget|hesitate|skip|omit)(?: to)?|why not"),
    ("use", r"(?:别|不要|不能|不得|勿)(?:忘|漏|跳过|省略)[记了]?"),
    ("none", r"不用担心|不要紧|[特分区级类性个差识鉴]别|别[的人]|不要求"),
    ("good", rf"{_NOT_EN} (?:{_BAD_EN})|{_NOT_ZH}(?:{_BAD_ZH})过?"),
    ("bad", rf"{_NOT_EN} (?:{_GOOD_EN}|exist|installed|there|present|possible|an option)"),
    ("bad", rf"(?:没有?|不再?|未能?|无法)(?:{_GOOD_ZH})|[没未]安?装"),
    ("turn", r"(?:slower|worse|weaker|heavier|older) than(?=\s*\0)|in favou?r of"),
    ("over", r"instead of|rather than|in (?:the )?place of|(?:over|than)(?=\s*\0)|replaces"),
    ("over", r"而不是|而非|代替|替代|取代"),
    ("turn", r"(?:replaced|superseded) (?:by|with)|[-=]>|→|被(?=\s*\0+\s*(?:取代|代替|替代|替换))"),
    ("turn", rf"(?:{_GO_ZH})(?:成|到|为|至)了?"),
    (
        "turn",
        r"(?<=\0 )(?:to|with)(?=\s*\0)|(?:moved|renamed|switched|migrated|upgraded|downgraded|"
        r"changed|converted|rolled back|reverted) (?:(?:over|on) )?to(?=\s*\0)",
    ),
    (
        "hard",
        r"(?:don't|do not|must(?:n't| not)|should(?:n't| not)|can(?:'t|not| not)|may not|"
        rf"won't|will not|never){_DO}",
    ),
    (
        "hard",
        r"(?:decided|advised|warned|voted|decision) (?:against|not to)|avoid(?:ed|s)?|"
        r"(?:stop(?:ped)?|quit)(?: using| running)?|no longer|dislikes?|hates?|forbids?|"
        r"beware|(?:got|get|getting) rid of|gave up(?: on)?|refuses?|rules? out|drops?|"
        r"removes?|bans?|disallows?|vetoes",
    ),
    (
        "hard",
        r"不再|不要|不能|不可以?|不准|不许|不得|不应[该当]?|不该|不用|不允许|不让|"
        r"不需要|不必|无需|不采用|不考虑|不喜欢|讨厌|禁止|切勿|请勿|避免|放弃|弃用|停用|别",
    ),
    ("bad", f"{_BAD_EN}|{_BAD_ZH}"),
    ("good", f"{_GOOD_EN}|{_GOOD_ZH}"),
    ("soft", r"not|no|without|nor|不是"),
    (
        "past",
        r"previously|formerly|originally|used to(?: be| use| run)?|from(?=\s*\0+\s+to\b)|"
        rf"以前|原来|原先|之前|起初|一开始|从(?=\s*\0+\s*(?:{_GO_ZH}|到))",
    ),
    (
        "use",
        r"us(?:e|es|ed|ing)|runs?|ran|prefers?|pick|choose|chose|decided|decisions?|"
        r"adopt(?:ed)?|go(?:ing)? with|went with|stick (?:to|with)|settled|back to|returned to|"
        r"(?<=\0 )only(?=\W*$)",
    ),
    (
        "lean",
        r"now|always|must|should|only|take|try|wants?|likes?|needs?|allows|through|"
        r"(?:is|are|=|in|into|at|on|as|to)(?=\s*\0)",
    ),
    (
        "use",
        r"[改换退]回|回退到|恢复|回到|统一|改用|采用|使用|选用|换用|"
        r"(?<![占不应作可费调有利引通专常停弃])用(?![户例途法来于时量处])|"
        r"选|决定|定了|一律|推荐|建议|跑",
    ),
    ("lean", r"允许|现在|必须|务必|只|总是|优先|喜欢|[是为要走到在](?=\s*\0)"),
)
CUE: Final = re.compile(
    r"(?:(?<![A-Za-z])|(?=[^A-Za-z]))(?:"
    + "|".join(f"(?P<k{n}>{pattern})" for n, (_, pattern) in enumerate(CUES))
    + r")(?:(?![A-Za-z])|(?<=[^A-Za-z]))",
    re.IGNORECASE,
)
SPLIT: Final = re.compile(
    r"[;；。!！?？:：()（）\]】]|(?<!\0)[,，]|[,，](?!\s*\0)|\.(?=\s|$)|\s[—–-]{1,2}\s|——|"
    r"\b(?:but|because|since|so|while|whereas|although)\b|但是?|因为|所以|由于|不过|然而|于是",
    re.IGNORECASE,
)
# After these comes what was announced: "failed: ...", "[decision, May] ...".
COLONS: Final = frozenset({":", "：", "]", "】"})
STOPS: Final = frozenset({".", "。", ";", "；", "!", "！"})
REASONS: Final = frozenset({"because", "since", "因为", "由于"})
COORD: Final = re.compile(r"[\s,，、/]*(?:or|and|nor|和|或者?|及|与|跟)?\s*", re.IGNORECASE)
LEAD: Final = re.compile(
    r"(?:\s|it|this|that|which|then|later|and|was|is|has|been|in the end|finally|now|both|all|"
    r"也|都|又|后来|结果|它|这|那|个|已|经|最后|最终|被|仍|然|上次|一直|千万)*",
    re.IGNORECASE,
)
IT: Final = re.compile(
    r".{0,16}\b(?:it|that|this|them|again|any ?more)\b.{0,8}|.{0,8}", re.IGNORECASE
)
IF: Final = re.compile(r"\W*(?:if|unless|in case|如果|若|万一|假如)", re.IGNORECASE)
SENTENCE: Final = re.compile(r"(?<=[。!！;；])|(?<=[?？])(?=\W|$)|(?<=\.)(?=\s)")
OPEN: Final = re.compile(
    r"(?:to be|not yet|\bun) ?decided|\bTBD\b|still open|待定|未定|没定", re.IGNORECASE
)
_MARKED = (
    r"(?<!un)(?<!not )\b(?:changed|gone|superseded(?! by)|stale|outdated|obsolete)\b|"
    r"(?<!未)(?:已变更|已更改|有改动|有变动|已删除|不存在|已失效|已过时|已被?取代|过期)"
)
STALE: Final = re.compile(
    rf"(?<!not )\bchanged since[^)\]】]*|[\[(（【][^\])）】]*?(?:{_MARKED})[^\])）】]*[\])）】]|"
    rf"^\W*(?:{_MARKED})\s*[:：|]|\s[—–-]\s(?:{_MARKED})\W*$",
    re.IGNORECASE,
)
FRESH: Final = re.compile(
    r"\b(?:unchanged|not checked|not changed)\b|未变更|未变|未核实|未检查|没有变化", re.IGNORECASE
)
ELSE: Final = re.compile(
    r"\b(?:other|another|different|unrelated)\b[\w -]{0,12}\b(?:project|repo\w*|service|codebase)|"
    r"\belsewhere\b|(?:另一个|别的|其他|其它)(?:项目|仓库|服务)",
    re.IGNORECASE,
)
NAMED: Final = re.compile(
    r"\b(?:in|for|of) (?:the )?([\w-]+) (?:project|repo(?:sitory)?|codebase)\b|"
    r"\b(?:project|repo)[:=] ?([\w-]+)|([A-Za-z][\w-]+) ?(?:项目|仓库)",
    re.IGNORECASE,
)
HERE: Final = frozenset("the this that our same whole current new entire my".split())
THIS: Final = ("this command", "this call", "this edit", "该命令", "此命令", "这条命令", "这个命令")
MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
ISO: Final = re.compile(r"(20\d\d)[-/年.](\d{1,2})(?:[-/月.](\d{1,2}))?")
NAMED_DAY: Final = re.compile(
    rf"(?:(\d{{1,2}})\s+)?\b({'|'.join(MONTHS)})[a-z]*\.?\s+(?:(\d{{1,2}}),?\s+)?(20\d\d)",
    re.IGNORECASE,
)
AGO: Final = re.compile(
    r"(\d+|an?|one)\s*(day|week|month|year|天|周|个月|年)s?\s*(?:ago|之?前)|yesterday|昨天",
    re.IGNORECASE,
)
SPAN: Final = {
    "day": 1,
    "天": 1,
    "week": 7,
    "周": 7,
    "month": 30,
    "个月": 30,
    "year": 365,
    "年": 365,
}
WORD: Final = re.compile(r"[a-z][a-z0-9_]{2,}|[\u4e00-\u9fff](?=([\u4e00-\u9fff]))")
STOP: Final = frozenset("the and for with which what should does that this from how was".split())
CJK: Final = re.compile(r"[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]")
# Nouns that may be what the question is about, and then say nothing bad.
TOPICS: Final = re.compile(
    r"timeouts?|[a-z]{0,30}errors?|[a-z]{0,30}exceptions?|conflicts?|超时|冲突|报错|出错",
    re.IGNORECASE,
)


def tokens(text: str) -> int:
    """Count a text's tokens, about: 4 characters of Latin or 1.5 of Chinese each."""
    wide = len(CJK.findall(text))
    return math.ceil((len(text) - wide) / 4 + wide / 1.5)


def told(line: str) -> str:
    """Blank what tells nothing: questions, and sentences that say that a thing is still open."""
    made = []
    for part in SENTENCE.split(line):
        asked = part.rstrip().endswith(("?", "？")) and "why not" not in part.lower()
        kept = max(part.rfind(":"), part.rfind("：")) + 1 if asked else 0
        blank = asked or OPEN.search(part)
        made.append(part[:kept] + " " * (len(part) - kept) if blank else part)
    return "".join(made)


def foreign(line: str, about: str) -> bool:
    """Tell whether a line says that it is of another project than the task's."""
    named = [name.lower() for match in NAMED.findall(line) for name in match if name]
    elsewhere = any(name not in HERE and name not in about.lower() for name in named)
    return elsewhere or bool(ELSE.search(line))


def day(line: str, latest: int) -> int | None:
    """Return the newest date of a line as a day's number; "ago" counts from the latest date."""
    days = []
    for year, month, day in ISO.findall(line):
        days.append((int(year), int(month), int(day or 1)))
    for early, month, late, year in NAMED_DAY.findall(line):
        days.append((int(year), MONTHS.index(month.lower()) + 1, int(early or late or 1)))
    valid = [date(y, m, 1).toordinal() + d - 1 for y, m, d in days if 1 <= m <= len(MONTHS)]
    for number, unit in AGO.findall(line):
        span = int(number) if number.isdigit() else 1
        valid.append((latest or date.max.toordinal()) - span * SPAN.get(unit.lower(), 1))
    return max(valid, default=None)

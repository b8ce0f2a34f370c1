"""Vetoes: what is meant otherwise than it reads, whatever the classifier says of it.

Role play, drafts, quotations, hypotheticals, irony, states that are over, hearsay and what can only
be understood with the words before it become no memory.
"""

import re
from functools import cache
from typing import NamedTuple

from memoria.policy.kinship import chinese_words
from memoria.policy.own_words import Sentence
from memoria.policy.phrases.moment import is_choice, is_outlook
from memoria.policy.statements.classifier import Label
from memoria.policy.statements.clauses import StatingClause, reads_chinese
from memoria.text.pattern import LazyPattern
from memoria.text.remembered import remember_results


def find_draft(text: str) -> int:
    """Return where a text begins to give somebody a part to play; its length where none does."""
    match = _PART.regex.search(text)
    return len(text) if match is None else match.start()


def is_meant_otherwise(sentence: str) -> bool:
    """Whether a sentence is ironic or a part to play, though a phrase reads it word for word."""
    irony = _IRONY_ZH if reads_chinese(sentence) else _IRONY
    return bool(irony.regex.search(sentence))


def is_vetoed(clause: StatingClause, label: Label, sentence: str) -> bool:
    """Whether a clause must give no memory.

    Args:
        clause: part of the sentence.
        label: what the classifier takes it for.
        sentence: the whole of it.
    """
    whole = _read_whole(sentence)
    in_chinese = whole.in_chinese
    own = _CLAUSE_ZH if in_chinese else _CLAUSE
    if whole.is_vetoed or own.regex.search(clause.text):
        return True
    told = _CONDITION.regex.sub("", clause.text) if label is Label.INSTRUCTION else clause.text
    if Sentence(0, told, "").is_doubtful:
        return True
    if label is Label.INSTRUCTION:
        once = _ONCE_ZH if in_chinese else _ONCE
        is_order = not in_chinese or _ORDER_ZH.regex.search(clause.text)
        is_of_now = once.regex.search(clause.text) or is_outlook(clause.text)
        return not is_order or bool(is_of_now)
    states = _STATES_ZH if in_chinese else _STATES
    if in_chinese and not _names_somebody(clause.text):
        return True
    is_passing = states.regex.search(clause.text) or is_choice(clause.text)
    return bool(is_passing or whole.is_condition)


class _Whole(NamedTuple):
    """What a sentence is as a whole."""

    in_chinese: bool
    is_vetoed: bool
    is_condition: bool


@remember_results(1)
def _read_whole(sentence: str) -> _Whole:
    """Return what the sentence is, which all of its clauses ask: it is read once for them."""
    in_chinese = reads_chinese(sentence)
    vetoed, condition = (_SENTENCE_ZH, _IF_ZH) if in_chinese else (_SENTENCE, _IF)
    return _Whole(
        in_chinese,
        vetoed.regex.search(sentence) is not None,
        condition.regex.search(sentence) is not None,
    )


def _names_somebody(text: str) -> bool:
    """Whether a Chinese clause speaks of somebody: its speaker, their people, or a name."""
    return bool(_SELF_ZH.regex.search(text) or _NAME_ZH.regex.match(text) or _kin_zh().search(text))


@cache
def _kin_zh() -> re.Pattern[str]:
    words = [word for word in chinese_words() if len(word) > 1]
    return re.compile("|".join(sorted(map(re.escape, words), key=len, reverse=True)))


_SELF_ZH = LazyPattern(
    r"""(?x)[我俺咱吾]|本人|自己|老家|家里|家住|家有|上司|下属|同事|同学|老板|经理|领导|室友|邻居|朋友|老师|导师|闺蜜|徒弟|师傅|合伙人|男友|女友|搭档
    | ^\W*(?:从小|平时|一直|打算|准备|今年|明年|后年|年底|喜欢|不爱|爱|最爱|最喜欢|从来|从不|每天|每周|每晚|周末|习惯|对|讨厌|受不了|不吃|不喝|天生|决定|计划|目标|争取|答应|住在|住|在|姓|叫|属|养|有|做|学|会|患|曾|戒|想|要)"""  # noqa: E501
)
_NAME_ZH = LazyPattern(
    r"""(?x)^\W*(?:欧阳|司马|上官|诸葛|[赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏窦章苏潘葛范彭郎鲁韦马苗方俞任袁柳鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于傅皮卞齐康伍余元卜顾孟黄穆萧尹姚邵汪祁毛禹狄米贝明臧计成戴谈宋庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林钟徐邱骆高夏蔡田樊胡凌霍虞万柯管卢莫房解应宗丁邓洪包左石崔吉龚程邢裴陆荣翁荀甄曲封储段焦牧车侯全班仇宁甘武符刘景詹龙叶黎白邰赖卓屠蒙池乔翟谭申冉雍桑桂牛边燕温庄晏柴阎连习容古易廖庾耿满匡文寇广东殴沃利蔚越夔隆师巩聂辛那简饶曾沙鞠丰巢关查游权盖丘宫岳])
      [\u4e00-\u9fff]{1,2}?(?=的|是|在|今年|住|叫|喜欢|爱|特别|比较|平时|也|很|有|从|毕业|做|当|教|会|身高|体重|生日|今|跟|和|她|他|这|[，,])"""
)
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
_SENTENCE = LazyPattern(
    r"""(?xi)
      ^\W*(?:translate|proofread|rewrite|rephrase|paraphrase|summari[sz]e|edit|correct|improve|polish|shorten|compare
        |generate|imagine|pretend|suppose|act\sas|play\sthe|roleplay|role-play|write|draft|compose|complete)\b[^:]*:\s
    | ^\W*(?:imagine|pretend|suppose|picture\sthis|let['’]?s\s(?:say|pretend|assume)|say\s(?:i|we|that\si)\b|assum(?:e|ing)\b)
    | ^\W*you(?:['’]re|\sare)\s(?:an?|the|now)\s
    | ^\W*(?:just|only)\sbecause\b
    | ^\W*in\s(?:the|this|that|my)\s(?:film|movie|book|show|series|scenario|example|simulation),?\s(?:i|my|we)\b
    | ^\W*(?:for\s(?:example|instance)|e\.?g\.?)\b | ^\W*according\sto\s(?!me\b)
    | \b(?:in\s(?:this|the|my)\s(?:story|scene|game|novel|play|script|dream|poem)|my\s(?:character|protagonist|hero(?:ine)?|oc)\b)
    | \b(?:lol|lmao|rofl|just\skidding|kidding|joking|jk|/s)\b | (?<!\w)(?:[:;]-?[DPp]|xD)(?!\w) | [😂🤣😜😝🙃]
    | ^\W*(?:dear|hi|hello)\s\w+(?:\s\w+)?,$
    | ^\W*(?:as\san?\s(?:user|customer|admin\w*|developer|visitor),?\si\swant)
    | ^\W*(?:yeah,?\sright|oh\s(?:great|joy|sure|yes|good|wonderful|perfect|fantastic|lovely)|(?:great|wonderful|fantastic|brilliant|perfect|lovely),\s(?:another|just|more|now)\b)
    | \b(?:just\s(?:what\si|love\s(?:it\s)?when)|as\sif\b|said\sno\s(?:one|body)\sever)
    """  # noqa: E501
    rf"| {_TAKEN_BACK}"
)
_I = r"""^\W*(?:(?:and|but|so|also|yeah|yes|no|oh|well|now|however|honestly|actually|hmm|ok|okay)\b[\s,]*){0,2}i"""  # noqa: E501
_VERY = r"(?:(?:also|just|really|so|still|definitely|very|super|a\sbit|kinda|kind\sof|pretty|not|already|now|always|never|only|even|totally|completely)\s){0,3}"  # noqa: E501
_CLAUSE = LazyPattern(
    rf"""(?xi)
      \bi\s(?:just|so|really|absolutely|simply|totally)?\s?(?:love|adore|enjoy)\s
        (?:it\swhen|waiting|being\s(?:ignored|woken|stuck)|spending\s(?:hours|my)|paying|debugging)
    | \b(?:i['’]?d|i\swould)\s(?:be|have\s(?:been|gone|to))\b.*\bif\b
    | {_I}(?:['’]ve|\shave|\shad)\s{_VERY}(?:heard|read|noticed|seen|come\sacross|thought|found
        |been\s(?:thinking|wondering|looking|considering|researching|meaning|hearing|reading\sup))\b
    | {_I}(?:['’]?m|\sam)\s{_VERY}(?:excited|wondering|thinking|looking|curious|glad|happy|sorry|afraid|sure|worried|confused
        |stuck|struggling|feeling|having|getting|impressed|surprised|tired|bored|hungry|sick|done|back|here|ready|open\sto
        |interested\sin\s(?:learning|the|this|that|exploring|trying|finding|knowing|hearing)
        |trying\sto\s(?:decide|figure|understand|remember|think|find|see|debug|fix|make\ssense|get))\b
    | {_I}['’]?ll\s{_VERY}(?:definitely|try|check|make\ssure|keep\s(?:it|that|this|those|you|in|trying|an)\b|look|give|have|let|see|think|take|go\s(?:with|for|ahead|check)|consider|be\s(?:sure|back|there))\b
    | {_I}\s(?:can|could|should|might|may)\s(?:also\s)?(?:see|imagine|tell|have|watch|try|use|feel|hear|understand)\b
    | {_I}\s(?:don['’]?t|do\snot|can['’]?t|didn['’]?t)\s(?:really\s)?(?:remember|know|understand|see|get|recall|think|mean|feel)\b
    | {_I}\s{_VERY}(?:appreciate|agree|see|guess|mean|get|feel|felt|understand|wonder|wish|got|noticed|realised|realized|found|saw|heard|thought|was|were|had|did|went|forgot|tried|need|bet|swear|smell|hear)\b(?!\s(?:up\sin|engaged|married|divorced|rid\sof|promoted|accepted|hired|admitted
        |an?\s(?:\W?\d[\d,.]*\s)?(?:pay\s)?(?:raise|promotion|scholarship)))
    | {_I}\s(?:\w+\s){{1,3}}(?:it|them|those|these|him|her|that\sone|this\sone)\b
    | \b(?:of|about|with|for|like)\s(?:those|these|them|it|this|that)\b[\W]*(?:$|suggestion|strateg|idea|option|tip)
    | \b(?:those|these)\s(?:suggestion|strateg|idea|option|tip|recommendation|example|sound|look)
    | \b(?:to|of|in|at|on|with|by|from|about|for)\s(?:it|this|that|these|those|them)\W*$
    | ^\W*(?:(?:many\s)?thanks?\b|thank\syou|feel\sfree|chatting\swith|talking\s(?:to|with)\syou|hopefully|sometimes|once\si\b|it['’]s\sbeen)
    | \byou(?:['’]re|\sare)\s(?:such|so|always|really|a\s(?:good|great|true|wonderful))\b | \bmy\sfriend\W*$
    | {_I}(?:['’]ll|\swill|['’]m\sgoing\sto)\s{_VERY}(?:certainly\s|surely\s)?(?:try|do\smy\sbest|work\son\s(?:it|that|this)|reach|put\s(?:it|this|that|your)|remember|pay|be\scareful|follow|need
        |negotiate|start\swith|practi[cs]e|explore|ask|look|read\sit|listen)\b
    | {_I}(?:['’]ve|\shave)\s{_VERY}(?:recently\s)?(?:tried|checked|implemented|set\sup|managed|prepared|calculated|confirmed|learn(?:ed|t)|fixed|added|attempted|made|included|written|tested|read|looked
        |been\s(?:trying|having|struggling|debugging|getting|seeing|experiencing))\b
    | {_I}\s(?:don['’]?t|do\snot)\s(?:have\sany|even\sknow)\b | {_I}\s(?:haven['’]?t|have\snot)\b | {_I}\shope\s(?:we|you|i|it|this|that)\b
    | {_I}(?:['’]?m|\sam)\s{_VERY}(?:trying\sto\s(?!learn|lose|gain|quit|eat|drink|save|become|improve\smy|read|cut|stop|be\b|live|get\s(?:fit|in|into|better|my|a)|build\sa|sleep|move|find\sa|buy|sell|start|keep|raise|conceive|adopt|spend|walk|run|switch)
        |willing\sto|going\sto\s(?:try|check|look|take\s(?:a|your)))\b
    | {_I}\s{_VERY}(?:\w+ed|made|bought|took|saw|ate|watched|drank|met|won|lost|spent|came|read|wrote|ran|gave|put|sent|built)\b.*\b(?:today|yesterday|recently|last\s\w+|this\s(?:morning|week|weekend)|just\snow|ago)\b
    | ^\W*(?:(?:which|and|but)\s)?(?:(?:i|we)\s(?:will|would|do|am|are|can|could|did|have|had|was|were)(?:n['’]?t)?|i['’](?:m|ll|ve|d)|we['’](?:re|ll|ve|d)|\w+)
        (?:\s(?:not|never|really|actually|too|either|either\sway|at\sall|indeed|though))*\W*$ | ^\W*(?:alright|okay|ok|sure|yes|yeah)\b
    | \bthe\sidea\sof\b | \bin\smy\sdreams\b | {_SHOUTED} | \bas\s\w+\sas\si\scan\b
    """  # noqa: E501
)
_STATES = LazyPattern(
    r"""(?xi)
      \btoday\b | ^\W*(?:i|we|my|he|she)\s?(?:used\sto|once|formerly|nearly|almost)\b | \bused\sto\s(?:be|live|work|have|love|like|hate|play|go|own|smoke|drink|eat|think)\b
    | \b(?:live|work|study|stay|am)\shere\b
    | \b(?:like|prefer|love|want|hate|choose|pick)\s(?:that|this|it|the\s(?:first|second|third|last|other|latter|former|red|blue)(?:\s(?:one|option|version))?|these|those|them|both)\s?(?:one|ones|better|more|too|idea|version|option|much|a\slot)?\W*$
    | ^\W*(?:he|she|it|they|that|this|these|those|there)\b
    | \b(?:i\s(?:think|guess|suppose|wonder|doubt|heard|read)|maybe|perhaps|supposedly|apparently|allegedly|not\ssure|no\sidea)\b
    | \b(?:said|says|told\sme|claims?|claimed|according\sto)\b | \bnot\ssaying\b
    | \b(?:ca\s?n['’]?t|cannot|would\s?n['’]?t|would\snot)\s(?:really\s)?say\s(?:that\s)?i\b
    | ^\W*(?:it['’]?s\s)?not\s(?:that|like|as\sif|because)\s(?:i|we)\b
    | \b(?:right\snow|at\sthe\smoment|tonight|this\s(?:morning|afternoon|evening)|yesterday|earlier\stoday|last\snight)\b
    | \b(?:if|unless|until)\b | \b(?:making|seeing|watching|with|for|about|to)\s(?:him|her|them)\b
    """  # noqa: E501
)
_ONCE = LazyPattern(
    r"""(?xi)\b(?:this\s(?:time|once|function|file|text|paragraph|sentence|email|essay|code|class|section|story|one|table|list|column|query|script|page|document)
      |for\snow|just\sonce|(?:from\snow\son|going\sforward|in\s(?:the\s)?future),?\s(?:i|we)\s(?:\w+\s)?(?:do\s?n['’]?t\sknow|do\snot\sknow|have\sno)|right\snow|today|tonight|the\s(?:function|file|text|paragraph|sentence|email|essay|following|above|attached|code\sbelow))\b"""
)
_CONDITION = LazyPattern(r"(?i)^\W*(?:if|unless)\b|^\W*(?:如果|要是|万一|假如)|的话[，,]")
_IF = LazyPattern(
    r"(?i)^\W*(?:if|unless|suppose)\b|\bif (?:i|we) (?:were|had|could|lived|won)\b|\bi wish\b"
)
_SENTENCE_ZH = LazyPattern(
    r"""(?x)
      ^\W*(?:翻译|润色|改写|校对|总结|概括|仿写|续写|造句|写一?[个篇段封首]|帮我写|编一?个)[^：:]*[：:]
    | ^\W*(?:假设|假如|想象|假装|扮演|你扮演|请扮演|现在你是|你现在是|设定)
    | (?:故事|小说|剧本|游戏|梦|电影|电视剧|戏|漫画|歌)[里中].{0,4}我
    | 哈哈|呵呵|才怪|开玩笑|狗头|手动滑稽|可真是?(?:太|好)|[我俺](?:可)?太(?:爱|喜欢)
    | ^\W*(?:亲爱的|尊敬的|敬爱的) | ^\W*(?:真的|真心|非常|很|太|十分|也|好的?[，,]?|嗯[，,]?|是的[，,]?)*(?:感谢|谢谢|多谢)
    | (?:谢谢|感谢)(?:你|您) | (?:和|跟|与)你(?:聊|分享|说话) | 有你的陪伴 | 我的AI伴侣 | 你(?:真|总是|是我最好) | 下次(?:再)?聊
    | ^\W*(?:(?:好的?|嗯+|是的?|行|可以|没问题|明白了?|知道了|对|谢谢)[，,。！\s]*)*(?:那)?我(?:也|一定|还是|就|以后|今后)*(?:会|要|可以|尽量|试试)(?:再|多|尽量|继续|好好|尽)*(?:去?(?:努力|注意|尝试|尽力|试|好好|认真|考虑|继续|加油|坚持|记住|搜索|听|照|按|调整|学着|多|保重|改))
    """  # noqa: E501
)
_CLAUSE_ZH = LazyPattern(
    r"""(?x)^\W*(?:他|她|它|这|那)(?!么|样) | 的?(?:规模|持续时间|主要内容|地点|时间)(?:是|为|在) | ^\W*AI伴侣
    | ^\W*(?:特别是|尤其是|同时也|确实|其实我想谈|虽然有时) | 下次我?(?:再|也)?试 | 我(?:也|要)?试试 | 我想我 | 我需要(?:放松|休息|与|和|跟|静|一个人)
    | (?:^|[，,。！\s])我(?:也|一定|还是|就)*会(?:注意|努力|尝试|尽力|试|考虑|加油|坚持|记住|继续)
    | 我(?:挺|很|好|非常|有点|特别|真的|太|最近|也|还)*(?:焦虑|难过|开心|高兴|累|烦|伤心|失落|孤独|紧张|幸福|郁闷|迷茫|激动|感动|无聊|困|期待|舒服)
    | 我们?去?(?:参观|去|看|吃|玩|走)的.{0,8}是 | 我(?:真的?|也|还|有些|有点|很|非常|又|会|就)*(?:害怕|担心|感受到|看到|看见|听到|发现|享受|庆幸)
    | 我(?:也|一直|还是)*(?:觉得|认为)(?!我|你可以叫) | 下一次|这次|在公园里 | 我(?:和|跟|与)[^，,]{1,8}(?:去了|看了|吃了|玩了|聊了) | 我(?:最近)?(?:正|正在|在)(?:读|看|听|吃|忙|等|做|写)"""  # noqa: E501
)
_STATES_ZH = LazyPattern(
    r"""(?x)
      我(?:真的|也|很|现在|最近|常常|总是|有时候?|还是|就)*(?:感到|感觉|期待|担心|害怕|希望我们|同意|理解|相信|明白)
    | 我们?(?:今天|昨天|最近|刚刚?|上周|周末|也|还|就|都|一起)*(?:去了|看了|吃了|玩了|做了|买了|走着|参观|听了|读了|遇到|收到|参加了|去过)
    | 我们?(?:去|参观|看|吃|玩|走)的.{0,8}是
    | 到(?:这|下|本)?(?:周|星期|礼拜)[一二三四五六日天末] | 到(?:月底|明天|后天|\d+月) | 为止 | 出差 | 我(?:已经|刚)(?:回|到)
    | 以前|曾经|曾(?:在|是)|小时候|当年|那时|过去|原来(?:住|在|是)|差点
    | (?:喜欢|爱|讨厌|想要|选|更爱)(?:这|那|它|他|她)(?:个|种|些|里|样)?
    | 我(?:可|从来|从|并|又|也|根本)*(?:没有?|不是)(?:说|讲|承认|提)过? | 歌词|台词|课文 | [歌书诗文剧影说][里中上](?:都|就)?[唱写说讲]
    | 听说|据说|好像|似乎|也许|可能|大概|不知道|不确定|不晓得|说不定 | 有人说|人家说|别人说
    | (?:今天|刚才|刚刚|昨天|昨晚|今早|今晚|此刻)(?!起|开始) | 在?(?:努力|拼命|认真)
    """  # noqa: E501
)
_ONCE_ZH = LazyPattern(
    r"(?x)这(?:次|一次|回|段|篇|个|句|封|张|份|里)|今天|刚才|上面|下面|文中|文章|本文"
)
_ORDER_ZH = LazyPattern(
    r"[你您妳請请别別]|不要|不许|不用|不准|不得|禁止|以后|以後|今后|往后|每[次当回逢]|凡|遇到|碰到|碰上|一律|统一|永远|始终|务必|必须|记得|记住|给我|跟我|替我|帮我|叫我|称呼|回答|回复|答|默认|提醒|翻译|推荐|当我|我一?[说问提要发]|只[用要许准能说讲给]|先.{1,12}再|都[用要给写得按]|[用按以].{1,8}[写说讲答回来]"
)
_IF_ZH = LazyPattern(r"^\W*(?:如果|要是|假如|假设|万一|倘若)|要是我|如果我")
_PART = LazyPattern(
    r"""(?xi)(?:^|(?<=\w)[^\w\n]*+\n)\W*+(?:(?:you\sare|you['’]re)\s(?:now\s)?(?:an?|the)\s|imagine\b|pretend\b|let['’]?s\s(?:role-?\s?play|pretend|imagine)|act\sas\b
      |play\sthe\srole|in\sthis\sstory|假设|假装|想象|扮演|请?你扮演|你现在是|现在你是|我们来玩)
    | \bfrom\snow\son,?\syou(?:['’]re|\sare|['’]ll\sbe|\swill\sbe)\s(?:an?\s|the\s|(?-i:[A-Z]))
    | 从现在(?:起|开始)[，,]?你就?是"""
)

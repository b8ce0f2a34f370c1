"""Vetoes: what is meant otherwise than it reads, whatever the classifier says of it.

Role play, drafts, quotations, hypotheticals, irony, states that are over, hearsay and what can only
be understood with the words before it become no memory.
"""

from memoria.policy.own_words import Sentence
from memoria.policy.statements.classifier import Label
from memoria.policy.statements.clauses import StatingClause
from memoria.text.pattern import LazyPattern
from memoria.text.script import is_cjk


def find_draft(text: str) -> int:
    """Where a text begins that its speaker only hands over: a letter, a draft, a part to play.

    Gives the length of a text without one.
    """
    found = (pattern.regex.search(text) for pattern in (_LEAD_IN, _SALUTATION, _PART))
    starts = (match.end() if match["after"] else match.start() for match in found if match)
    return min(starts, default=len(text))


def is_vetoed(clause: StatingClause, label: Label, sentence: str) -> bool:
    """Whether a clause must give no memory.

    Args:
        clause: part of the sentence.
        label: what the classifier takes it for.
        sentence: the whole of it.
    """
    in_chinese = is_cjk(sentence)
    anywhere, own = (_SENTENCE_ZH, _CLAUSE_ZH) if in_chinese else (_SENTENCE, _CLAUSE)
    if anywhere.regex.search(sentence) or own.regex.search(clause.text):
        return True
    told = _CONDITION.regex.sub("", clause.text) if label is Label.INSTRUCTION else clause.text
    if Sentence(0, told, "").is_doubtful:
        return True
    if label is Label.INSTRUCTION:
        once = _ONCE_ZH if in_chinese else _ONCE
        return bool(once.regex.search(clause.text))
    states = _STATES_ZH if in_chinese else _STATES
    condition = _IF_ZH if in_chinese else _IF
    return bool(states.regex.search(clause.text) or condition.regex.search(sentence))


_SENTENCE = LazyPattern(
    r"""(?xi)
      ^\W*(?:translate|proofread|rewrite|rephrase|paraphrase|summari[sz]e|edit|correct|improve|polish|shorten|compare
        |generate|imagine|pretend|suppose|act\sas|play\sthe|roleplay|role-play|write|draft|compose|complete)\b[^:]*:\s
    | ^\W*(?:imagine|pretend|suppose|picture\sthis|let['’]?s\s(?:say|pretend|assume)|say\s(?:i|we|that\si)\b|assum(?:e|ing)\b)
    | ^\W*you(?:['’]re|\sare)\s(?:an?|the|now)\s
    | \b(?:in\s(?:this|the|my)\s(?:story|scene|game|novel|play|script|dream|poem)|my\s(?:character|protagonist|hero(?:ine)?|oc)\b)
    | \b(?:lol|haha\w*|lmao|rofl|just\skidding|kidding|joking|jk|/s)\b
    | ^\W*(?:dear|hi|hello)\s\w+(?:\s\w+)?,$
    | ^\W*(?:as\san?\s(?:user|customer|admin\w*|developer|visitor),?\si\swant)
    | ^\W*(?:yeah,?\sright|oh\s(?:great|joy|sure|yes|good|wonderful|perfect|fantastic|lovely)|(?:great|wonderful|fantastic|brilliant|perfect|lovely),\s(?:another|just|more|now)\b)
    | \b(?:just\s(?:what\si|love\s(?:it\s)?when)|as\sif\b|said\sno\s(?:one|body)\sever)
    """  # noqa: E501
)
_I = r"""^\W*(?:(?:and|but|so|also|yeah|yes|no|oh|well|now|however|honestly|actually|hmm|ok|okay)\b[\s,]*){0,2}i"""  # noqa: E501
_VERY = r"(?:(?:also|just|really|so|still|definitely|very|super|a\sbit|kinda|kind\sof|pretty|not|already|now|always|never|only|even|totally|completely)\s){0,3}"  # noqa: E501
_CLAUSE = LazyPattern(
    rf"""(?xi)
      \bi\s(?:just|so|really|absolutely|simply|totally)?\s?(?:love|adore|enjoy)\s
        (?:it\swhen|waiting|being\s(?:ignored|woken|stuck)|spending\s(?:hours|my)|paying|debugging)
    | \b(?:i['’]?d|i\swould)\s(?:be|have\s(?:been|gone|to))\b.*\bif\b
    | {_I}(?:['’]ve|\shave|\shad)\s{_VERY}(?:heard|read|noticed|seen|come\sacross|thought|wanted|found
        |been\s(?:thinking|wondering|looking|considering|researching|meaning|hearing|reading\sup))\b
    | {_I}(?:['’]?m|\sam)\s{_VERY}(?:excited|wondering|thinking|looking|curious|glad|happy|sorry|afraid|sure|worried|confused
        |stuck|struggling|feeling|having|getting|considering|impressed|surprised|tired|bored|hungry|sick|done|back|here|ready|open\sto
        |interested\sin\s(?:learning|the|this|that|exploring|trying|finding|knowing|hearing)
        |trying\sto\s(?:decide|figure|understand|remember|think|find|see|debug|fix|make\ssense|get))\b
    | {_I}['’]?ll\s{_VERY}(?:definitely|try|check|make\ssure|keep|look|give|have|let|see|think|take|go\s(?:with|for|ahead|check)|consider|be\s(?:sure|back|there))\b
    | {_I}\s(?:can|could|should|might|may)\s(?:also\s)?(?:see|imagine|tell|have|watch|try|use|feel|hear|understand)\b
    | {_I}\s(?:don['’]?t|do\snot|can['’]?t|didn['’]?t)\s(?:really\s)?(?:remember|know|understand|see|get|recall|think|mean|feel)\b
    | {_I}\s{_VERY}(?:appreciate|agree|see|guess|mean|get|feel|felt|understand|wonder|wish|got|noticed|realised|realized|found|saw|heard|thought|was|were|had|did|went|forgot|tried|need|bet|swear|smell|hear)\b(?!\s(?:up\sin|engaged|married|divorced|rid\sof))
    | {_I}\s(?:\w+\s){{1,3}}(?:it|them|those|these|him|her|that\sone|this\sone)\b
    | \b(?:of|about|with|for|like)\s(?:those|these|them|it|this|that)\b[\W]*(?:$|suggestion|strateg|idea|option|tip)
    | \b(?:those|these)\s(?:suggestion|strateg|idea|option|tip|recommendation|example|sound|look)
    | \b(?:to|of|in|at|on|with|by|from|about|for)\s(?:it|this|that|these|those|them)\W*$
    | \bthe\sidea\sof\b | \bin\smy\sdreams\b | \b(?-i:LOVE|LOVES|ADORE|ENJOY|LIKE|SO|GREAT)\b | \bas\s\w+\sas\si\scan\b
    """  # noqa: E501
)
_STATES = LazyPattern(
    r"""(?xi)
      ^\W*(?:i|we|my|he|she)\s?(?:used\sto|once|formerly|nearly|almost)\b | \bused\sto\s(?:be|live|work|have|love|like|hate|play|go|own|smoke|drink|eat|think)\b
    | \b(?:like|prefer|love|want|hate|choose|pick)\s(?:that|this|it|the\s(?:first|second|third|last|other|latter|former|red|blue)(?:\s(?:one|option|version))?|these|those|them|both)\s?(?:one|ones|better|more|too|idea|version|option|much|a\slot)?\W*$
    | ^\W*(?:he|she|it|they|that|this|these|those|there)\b
    | \b(?:i\s(?:think|guess|suppose|wonder|doubt|heard|read)|maybe|perhaps|supposedly|apparently|allegedly|not\ssure|no\sidea)\b
    | \b(?:said|says|told\sme|claims?|claimed|according\sto)\b
    | \b(?:right\snow|at\sthe\smoment|tonight|this\s(?:morning|afternoon|evening)|yesterday|earlier\stoday|last\snight)\b
    | \b(?:if|unless|until)\b | \b(?:making|seeing|watching|with|for|about|to)\s(?:him|her|them)\b
    """  # noqa: E501
)
_ONCE = LazyPattern(
    r"""(?xi)\b(?:this\s(?:time|once|function|file|text|paragraph|sentence|email|essay|code|class|section|story|one|table|list|column|query|script|page|document)
      |for\snow|just\sonce|right\snow|today|tonight|the\s(?:function|file|text|paragraph|sentence|email|essay|following|above|attached|code\sbelow))\b"""
)
_CONDITION = LazyPattern(r"(?i)^\W*(?:if|unless)\b|^\W*(?:如果|要是|万一|假如)|的话[，,]")
_IF = LazyPattern(
    r"(?i)^\W*(?:if|unless|suppose)\b|\bif (?:i|we) (?:were|had|could|lived|won)\b|\bi wish\b"
)
_SENTENCE_ZH = LazyPattern(
    r"""(?x)
      ^\W*(?:翻译|润色|改写|校对|总结|概括|仿写|续写|造句|写一?[个篇段封首]|帮我写|编一?个)[^：:]*[：:]
    | ^\W*(?:假设|假如|想象|假装|扮演|你扮演|请扮演|现在你是|你现在是|设定)
    | (?:故事|小说|剧本|游戏|梦)[里中].{0,4}我
    | 哈哈|呵呵|才怪|开玩笑|狗头|手动滑稽|可真是?(?:太|好)|[我俺](?:可)?太(?:爱|喜欢)
    | ^\W*(?:亲爱的|尊敬的|敬爱的)
    """
)
_CLAUSE_ZH = LazyPattern(r"(?x)^\W*(?:他|她|它|这|那)(?!么|样)")
_STATES_ZH = LazyPattern(
    r"""(?x)
      以前|曾经|曾(?:在|是)|小时候|当年|那时|过去|原来(?:住|在|是)|差点
    | (?:喜欢|爱|讨厌|想要|选|更爱)(?:这|那|它|他|她)(?:个|种|些|里|样)?
    | 听说|据说|好像|似乎|也许|可能|大概|不知道|不确定|不晓得|说不定 | 有人说|人家说|别人说
    | (?:今天|刚才|刚刚|昨天|昨晚|今早|今晚|此刻)(?!起|开始) | 在?(?:努力|拼命|认真)
    """
)
_ONCE_ZH = LazyPattern(
    r"(?x)这(?:次|一次|回|段|篇|个|句|封|张|份|里)|今天|刚才|上面|下面|文中|文章|本文"
)
_IF_ZH = LazyPattern(r"^\W*(?:如果|要是|假如|假设|万一|倘若)|要是我|如果我")
_LEAD_IN = LazyPattern(
    r"""(?xi)(?P<after>\b(?:translate|proofread|rewrite|rephrase|paraphrase|summari[sz]e|edit|correct|improve|polish
        |draft|email|e-mail|letter|essay|text|message|story|poem|lyrics|paragraph|post|article|bio|cover\sletter|excerpt|passage|sentence|notes|transcript|dialogue|log)
      \b[^.!?\n:]{0,60}:\s
    | (?:翻译|润色|改写|校对|总结|概括|仿写|续写|造句|邮件|信|文章|作文|段落|原文|歌词|日记|草稿|故事|聊天记录)[^。！？\n：:]{0,12}[：:]
    )"""  # noqa: E501
)
_SALUTATION = LazyPattern(
    r"(?P<after>)(?:^|\n)[ \t]*(?:(?:Dear|Hi|Hello|Hey) [A-Z][\w .]{0,30},[ \t]*\n|(?:亲爱的|尊敬的|敬爱的)[^\n，。]{1,16}[：:，,])"  # noqa: E501
)
_PART = LazyPattern(
    r"""(?xi)(?P<after>)(?:^|\n)\W*(?:(?:you\sare|you['’]re)\s(?:now\s)?(?:an?|the)\s|imagine\b|pretend\b|let['’]?s\s(?:role-?\s?play|pretend|imagine)|act\sas\b
      |play\sthe\srole|in\sthis\sstory|假设|假装|想象|扮演|请?你扮演|你现在是|现在你是|我们来玩)"""
)

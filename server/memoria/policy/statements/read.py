"""Reads the clauses of a sentence: what each of them states, put into the words of a memory."""

from collections.abc import Iterator

from memoria.model.memory_types import MemoryType
from memoria.policy.own_words import Sentence
from memoria.policy.phrases import LANGUAGES, ParsedStatement
from memoria.policy.phrases.base import LONGEST_PREDICATE, of_many
from memoria.policy.properties import read_topic
from memoria.policy.statements.classifier import Label, classify_clause
from memoria.policy.statements.clauses import StatingClause, own_parts, reads_chinese, split_clauses
from memoria.policy.statements.in_passing import find_told_in_passing
from memoria.policy.statements.vetoes import is_vetoed
from memoria.text.pattern import LazyPattern

_SHORTEST, _SHORTEST_ZH = 6, 4
_LONGEST = 300
_LAST = 4
"""Characters by which it is told that a phrase has read a clause to its end."""
_LEAST_CERTAINTY = 0.35
"""What states a taste in so many words, or what a phrase reads, need not be surer than this."""
_POINTS_BACK = LazyPattern(
    r"(?i)i (?:really |also |generally )?prefer (?:it|them|this|that) (?:over|to|because|for|since|due|as)\b"  # noqa: E501
)
_SAYS_IT = LazyPattern(
    r"(?i)i(?: really| also| generally| usually| always| much| strongly| still| personally){0,2}"
    r" prefer "
    r"(?!(?:not|that|this|it|them|those|these)\b"
    r"|the (?:first|second|third|last|other|former|latter|one)\b)"
    r"|i['’]m \d\d(?: years old)?(?: and\b|\W*$)"
)
"""Says in so many words what its speaker prefers, or their age, however unlike the sentences of the
training it is."""
_PLANS = LazyPattern(
    r"(?i)(?:i|we)(?: also| still| really)? (?:plan to|have always wanted to"
    r"|(?:really )?(?:want|hope) to (?:visit|travel|move|go|see)\b(?=.*\b(?-i:[A-Z])))"
    r"|i['’]ve always wanted to|i['’]m (?-i:[A-Z])\w+, an? \w"
)
_LEAST_PLAN = 0.1
_STATES_TASTE = LazyPattern(
    r"""(?xi)(?:i\s(?:(?:really|also|generally|usually|always|much|strongly|still|personally)\s){0,2}prefer
        |my\s(?:strong\s)?preference\sis|my\s(?:\w+\s)?(?:goal|dream|aim|hobby)\sis|i['’]?m\s\d\d(?=\W*$|\sand\b|\syears))\s(?!(?:not|that|this|it|them|those|these)\b|the\s(?:first|second|third|last|other|former|latter|one)\b)
    | 我(?:个人|还是|一直|比较|一般|平时|其实)*(?:更喜欢|偏好|偏爱|习惯)(?![这那它他她])
    | (?:我家?的?)?(?:[\u4e00-\u9fff]{2,4}?)(?:他|她)?(?:的(?:邮箱|电子邮箱|手机号?|电话|联系电话|生日|身高|体重|年龄|职业|职位|工作地|老家|家乡|学历|爱好|公司|单位|住址|专业)(?:地址|号码|地点)?(?:是|为|叫|在|有)
        |在[^，,]{2,20}(?:工作|上班|任职)|今年(?:才|刚|已经)?[\d一二三四五六七八九十]+岁|(?:特别|很|最|比较|非常)?(?:喜欢|爱好|爱(?=[吃喝看听玩]))[^，,这那]+$
        |身高(?:有|是)?[\d一二三四五六七八九十]|只?读到|是[^，,]{2,16}(?:职位|专业)的|毕业于)"""  # noqa: E501
)
_TYPES = {
    Label.INSTRUCTION: MemoryType.RULE,
    Label.PREFERENCE: MemoryType.PREFERENCE,
    Label.FACT: MemoryType.FACT,
    Label.RELATIONSHIP: MemoryType.RELATIONSHIP,
    Label.GOAL: MemoryType.GOAL,
}


def read_clauses(sentence: Sentence) -> Iterator[tuple[StatingClause, ParsedStatement]]:
    """What the clauses of a sentence state, in the order in which they stand; else in passing."""
    read = list(_read_clauses(sentence))
    yield from read or _read_in_passing(sentence)


def _read_in_passing(sentence: Sentence) -> Iterator[tuple[StatingClause, ParsedStatement]]:
    for part, label in find_told_in_passing(sentence.text):
        if len(part.text) <= _LONGEST and not is_vetoed(part, label, sentence.text):
            yield part, _quote_english(part.text, label)


def _read_clauses(sentence: Sentence) -> Iterator[tuple[StatingClause, ParsedStatement]]:
    before: StatingClause | None = None
    for clause in split_clauses(sentence):
        if before is not None and _POINTS_BACK.regex.match(clause.text):
            yield from _read_with(before, clause, sentence)
        else:
            yield from _read_parts(clause, sentence)
        before = clause


def _read_parts(
    clause: StatingClause, sentence: Sentence
) -> Iterator[tuple[StatingClause, ParsedStatement]]:
    """What a clause states, else what its parts state that speak of their speaker."""
    whole = _read_clause(clause, sentence)
    if whole is not None:
        yield clause, whole
        return
    for part in own_parts(clause):
        parsed = _read_clause(part, sentence)
        if parsed is not None:
            yield part, parsed


def _read_with(
    before: StatingClause, clause: StatingClause, sentence: Sentence
) -> Iterator[tuple[StatingClause, ParsedStatement]]:
    """A preference for what the clause before it names: both are quoted."""
    end = clause.start + len(clause.text)
    both = StatingClause(before.start, sentence.text[before.start : end], before.before, "")
    if len(both.text) <= _LONGEST:
        yield both, _quote_english(both.text, Label.PREFERENCE)


def _read_clause(clause: StatingClause, sentence: Sentence) -> ParsedStatement | None:
    in_chinese = reads_chinese(clause.text)
    shortest = _SHORTEST_ZH if in_chinese else _SHORTEST
    if not shortest <= len(clause.text) <= _LONGEST:
        return None
    verdict = classify_clause(clause, sentence.end)
    label = verdict.label
    says_it = _says_in_so_many_words(clause.text, verdict.certainty)
    is_likely = says_it or verdict.certainty >= _LEAST_CERTAINTY
    if not is_likely or is_vetoed(clause, label, sentence.text):
        return None
    exact = None if label is Label.INSTRUCTION else _read_phrase(clause)
    if exact is None and (verdict.is_sure or says_it or _STATES_TASTE.regex.match(clause.text)):
        quote = _quote_chinese if in_chinese else _quote_english
        return quote(clause.text, label)
    return exact


def _says_in_so_many_words(text: str, certainty: float) -> bool:
    if _SAYS_IT.regex.match(text):
        return True
    return certainty >= _LEAST_PLAN and bool(_PLANS.regex.match(text))


def _read_phrase(clause: StatingClause) -> ParsedStatement | None:
    """What a phrase reads in a clause that is only part of a sentence; where it reads all of it."""
    if not (clause.before or clause.after):
        return None
    readings = (language.parse_statement(clause.text) for language in LANGUAGES)
    found = next((one for one in readings if one is not None), None)
    last = clause.text.split()[-1].strip(".,!，。！")[-_LAST:]
    return found if found is not None and last in found.content else None


def _quote_english(words: str, label: Label) -> ParsedStatement:
    if label is Label.INSTRUCTION:
        content = f'The user asks: "{words}."'
        return ParsedStatement(MemoryType.RULE, content, "assistant", of_many("rule", words))
    return _of_topic(f'The user says: "{words}."', words, label, "user")


def _quote_chinese(words: str, label: Label) -> ParsedStatement:
    if label is Label.INSTRUCTION:
        content = f"用户要求：“{words}。”"
        return ParsedStatement(MemoryType.RULE, content, "助手", of_many("规则", words))
    return _of_topic(f"用户说：“{words}。”", words, label, "用户")


def _of_topic(content: str, words: str, label: Label, user: str) -> ParsedStatement:
    """A statement of the property that rules read in it, else of one that is its own."""
    topic = read_topic(content)
    kind = _TYPES[label]
    if topic is None or max(len(topic.subject), len(topic.predicate)) > LONGEST_PREDICATE:
        return ParsedStatement(kind, content, user, of_many(label.value, words))
    return ParsedStatement(kind, content, topic.subject, topic.predicate)

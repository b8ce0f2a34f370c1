"""Acts: what somebody tells to have done or to do, and what they tell never to have done."""

from collections.abc import Iterator
from dataclasses import dataclass

from memoria.policy.updates.words import words_of
from memoria.text.pattern import LazyPattern, has_any


@dataclass(frozen=True, slots=True)
class Denial:
    """What a turn's speaker says never to have done, been or had."""

    matters: tuple["Matter", ...]
    """Each thing that is denied: of "attended a workshop or taken a class" two. Without the verb,
    which the affirmation seldom shares."""
    verb: str
    """Its stem; empty where none is read."""
    turns_on_verb: bool
    """Whether it denies more than having to do with a thing: who never missed a session had them,
    and who never worked on a draft had none."""


@dataclass(frozen=True, slots=True)
class Matter:
    """One thing that is denied, as telling words."""

    thing: frozenset[str]
    """What it is: of "any bugs in the search form" bugs."""
    detail: frozenset[str]
    """Which one it is: the search form."""

    @property
    def words(self) -> frozenset[str]:
        """All of its words."""
        return self.thing | self.detail


@dataclass(frozen=True, slots=True)
class Act:
    """What a sentence tells its speaker to have done, to do or to have."""

    words: frozenset[str]
    done: frozenset[str]
    """Of those, the words of the clauses that tell it as done; others take it for granted: "my
    drafts"."""


def may_deny(text: str) -> bool:
    """Whether a text can hold a denial at all."""
    return has_any(text, _SIGNS)


def find_denials(sentence: str) -> Iterator[Denial]:
    """What a sentence denies, clause by clause."""
    for match in _DENIAL.regex.finditer(sentence):
        clause = match["what"] or match["what_zh"] or ""
        end = _CLAUSE_END.regex.search(clause)
        clause = clause[: end.start()] if end else clause
        verb = _VERB.regex.match(clause)
        rest = clause[verb.end() :] if verb else clause
        matters = tuple(filter(None, map(_read_matter, _OR.regex.split(rest))))
        if matters:
            stem = next(iter(words_of(verb[0])), "") if verb else ""
            turns_on_verb = bool(verb) and _DEALING.regex.match(clause) is None
            yield Denial(matters, stem, turns_on_verb)


def _read_matter(text: str) -> Matter | None:
    """What a part of a denied clause is about; None where no word tells."""
    joint = _DETAIL.regex.search(text)
    thing = words_of(text[: joint.start()] if joint else text)
    detail = words_of(text[joint.start() :] if joint else "") - thing
    if not thing:
        thing, detail = detail, thing
    return Matter(thing, detail) if thing else None


def read_act(sentence: str, words: frozenset[str]) -> Act | None:
    """What a sentence tells of its speaker's doings; None where it denies or tells none."""
    if may_deny(sentence) and _DENIAL.regex.search(sentence):
        return None
    done = [part for part in _CLAUSE.regex.split(sentence) if _DONE.regex.search(part)]
    if not done and not _OWN.regex.search(sentence):
        return None
    return Act(words, frozenset().union(*map(words_of, done)))


_SIGNS = ("ever ", "not once", "haven", "hadn", " have not", "从", "没")
_DENIAL = LazyPattern(
    r"""(?xi)\b(?:I|we|the\suser)(?:['’]ve|['’]d|\shas|\shave|\shad)?\s(?:(?:also|actually|really|honestly|still)\s)?
        (?:never|not\s(?:once|ever)|(?:haven|hadn|didn)['’]t\sever|(?:haven|hadn)['’]t(?=[^.!?;:\n]*\b(?:any|ever|before)\b)|have\snot(?=[^.!?;:\n]*\b(?:any|ever|before)\b))
        \s(?:(?:actually|really|once|ever|before)\s)?(?P<what>(?![^.!?;:\n]*\byet\b)[^.!?;:\n]{3,200})
      | (?:我|我们|咱们?|用户)(?:自己|真的|其实|可|还|也|都|一直|至今)*
        (?:从来?(?:都|就)?(?:没有?|不|未)|从未|没有?(?=[^，。！？；,]{1,12}过))(?P<what_zh>[^，。！？；,.\n]{2,40})"""
)
_CLAUSE_END = LazyPattern(
    r"(?i)\s(?:but|so|because|since|which|although|though|before\b|and\s(?:I|we)\b)|,\s(?:but|so|and|which|what|can|could|I|is|it)\b"
)
_CLAUSE = LazyPattern(
    r"(?i),?\s(?:but|so|because|since|although|though|while|however|which|considering|especially|given|if)\b"
    r"|[,;]\s(?=(?:can|could|how|what|should|would|do|is)\b)|但是?|所以|因为|虽然|不过|[，；](?=(?:怎么|能不能|可以|如何))"
)
_OR = LazyPattern(r"(?i),?\s(?:or|nor)\s|或者?|、")
_DETAIL = LazyPattern(
    r"(?i)(?<=\s)(?:for|on|in|at|to|about|of|with|from|by|through|via|like|such|related|involving|regarding|after|before|under|into)\s"
)
_VERB = LazyPattern(r"(?i)\s*(?:[a-z]+ly\s)?[a-z]+")
_DEALING = LazyPattern(
    r"""(?xi)\s*(?:[a-z]+ly\s)?(?:us(?:e|ed|ing)|work\w*|d(?:o|one|id)|complet\w+|attempt\w*|tr(?:y|ied)|practi[cs]\w+|implement\w*|writ\w+|wrote
      |t(?:ake|ook|aken)|attend\w*|enroll?\w*|m(?:e|ee)t|obtain\w*|g[eo]t(?:ten)?|collaborat\w+|handl\w+|test\w*|receiv\w+|integrat\w+|be(?:en)?|ha[vd]e?|download\w*
      |learn\w*|stud\w+|s(?:ee|een|aw)|go(?:ne)?|fe(?:el|lt)|submit\w*|ma(?:ke|de)|creat\w+|buil[dt]|visit\w*|play\w*|own\w*|heard?|read|watch\w*|tast\w+|eaten|drunk|talked|spoken
      |join\w*|fix\w*|set\sup|prepar\w+|finish\w*|bought|installed|configured|experienced|participat\w+|solv\w+|touch\w*|dealt|explor\w+)\b
    | \s*(?:用|做|写|去|学|见|吃|喝|看|读|参加|买|玩|试|试用|使用|接触|安装|完成|听说?|养|住|坐|报名|上|练|去看|收到|拿到)过?"""  # noqa: E501
)
_DONE = LazyPattern(
    r"""(?xi)\b(?:I|we|the\suser)(?:['’]ve|\shas|\shave|['’]d|\shad)?\s(?:(?:just|already|also|recently|finally|really|once|then|only|even|both|\w+ly)\s){0,2}
        (?:\w{2,}ed|been|got|gotten|made|did|done|built|wrote|written|met|took|taken|gave|given|went|gone|had|saw|seen|found|spent|sent
          |ran|run|began|begun|felt|chose|chosen|set|put|read|bought|came|won|lost|left|led|taught|drew|drawn|drove|ate|eaten|spoke|told|said|heard|kept|held|paid|sold|grew|flew|swam|wore|slept|learnt)\b
      | \b(?:I|we)(?:['’]m|['’]re|\sam|\sare)\s(?:\w+\s)?(?:using|feeling|doing|working|taking|attending|running|living|learning|enjoying|enrolled|collaborating)\b
      | \bmy\s(?:\w+\s)?(?:score|accuracy|grade|results?|progress)\b | \bmy\s(?:\w+\s){1,6}(?:improved|increased|went|grew|rose)\b
      | \b\w{3,}ed\s(?:on|in|at|since)\s(?:\w+\s)?\d | \bafter\s(?:\w+ly\s)?\w+ing\b
      | (?:我|我们|用户)[^，。！？；,.?!\n]{0,30}(?:了|过|着|完|好|到)|(?:我|我们)(?:一直|经常|常|每)"""  # noqa: E501
)
_OWN = LazyPattern(
    r"(?i)\b(?:my|our)\b|\bI\s(?:\w+ly\s|always\s|often\s)?(?:use|love|enjoy|like|prefer|own|have|drink|eat|go|take|play|work|live|run|see|read|watch)\b|我的|我们的|我[每经常一直都]"
)

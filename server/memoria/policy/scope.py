"""Scope: the projects in which a statement is seen, by what it is about.

A person, their people, health, homes, habits and plans hold wherever they work. Code, services,
builds, tickets and the team's decisions hold in their project. A statement may speak of both, so
its signs are weighed against each other: the owner, the things it names, and words that point at a
project. Where they cancel out, nothing is decided: then the type of the memory does, and whoever
stated it is told.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import WordList, remember_results
from memoria.language.names import lexicon as words
from memoria.language.names.keys import USER, subject_key
from memoria.language.names.lexicon import chinese_words, english_words, is_kin_or_pet
from memoria.language.names.mentions import find_names
from memoria.model import MemoryType, Scope

_MOST_CHARS = 4000


@remember_results(512)
def decide_scope(content: str, kind: MemoryType, subject: str | None = None) -> Scope | None:
    """Decide where a statement is to be seen; None where its words leave it open."""
    text = _REPORTED.sub("", content[:_MOST_CHARS])
    if kind.sums_up_conversation:
        return "project"  # where the conversation was held
    if _EVERY_PROJECT.search(text):
        return "everywhere"
    if _THIS_PROJECT.search(text):
        return "project"
    signs = _read_signs(text, subject)
    balance = kind.row.leans_to_person + signs.of_person - signs.of_work
    if balance == 0:
        return None
    return "everywhere" if balance > 0 else "project"


def points_at_project(content: str, project: str) -> bool:
    """Check whether a statement points at a project, by the last part of its name or as "this"."""
    text, name = content[:_MOST_CHARS], PurePath(project).name.casefold()
    return bool(_THIS_PROJECT.search(text)) or (bool(name) and name in text.casefold())


def default_scope(kind: MemoryType) -> Scope:
    """Return where a statement is seen if its words leave it open."""
    return "everywhere" if kind.is_personal else "project"


@dataclass(frozen=True, slots=True)
class _Signs:
    """Signs of person and of work in a statement."""

    is_of_user: bool
    is_of_us: bool
    names_person: bool
    people: int
    life: int
    life_or_not: bool
    feeling: bool
    things: int
    trade: bool
    doing: bool
    specific: int
    """Certainty, from 0 to 2, that one thing of a project is meant, and not all of its kind."""

    @property
    def of_person(self) -> int:
        """Score of the signs that a statement is about a person and their life."""
        life = 2 * min(self.people, 2) + 2 * min(self.life, 2)
        # Whoever is only named may be of the team, and a home may be a page.
        named = self.names_person and (life > 0 or self.feeling)
        whose = self.is_of_user or self.is_of_us or self.names_person
        maybe = self.life_or_not and (life > 0 or whose)
        return life + maybe + named + self.is_of_user + (self.is_of_user and self.feeling)

    @property
    def of_work(self) -> int:
        """Score of the signs that a statement is about what is built, and how."""
        whose = self.is_of_user or self.is_of_us or self.things > 0 or self.trade
        mine = self.specific if self.is_of_user else 0
        return 2 * min(self.things, 2) + self.trade + mine + (self.doing and whose)


def _read_signs(text: str, subject: str | None) -> _Signs:
    plain = _ADDRESS.sub(" ", text)
    feeling = _count(text, words.find_list("feeling")) > 0 or bool(_HABIT.search(text))
    life = _count(text, words.find_list("personal"))
    life += len(_PERSONAL_PHRASE.findall(text))
    life_or_not = _count(text, words.find_list("personal_or_not")) > 0
    people = _count(text, _people_words())
    # To find names takes as long as all else, and by themselves they count for nothing.
    counts_names = bool(people or life or life_or_not or feeling)
    # Rules take the user for the subject of whatever they are asked to remember.
    is_subject = subject is not None and subject_key(subject) == USER
    return _Signs(
        is_of_user=bool(_SELF.search(text)) or (is_subject and feeling),
        is_of_us=bool(_US.search(text)),
        names_person=counts_names and any(name.kind == "person" for name in find_names(text)),
        people=people,
        life=life,
        life_or_not=life_or_not,
        feeling=feeling,
        things=_count(text, words.find_list("work"))
        + len(_WORK_PHRASE.findall(text))
        + len(_CODE.findall(plain)),
        trade=_count(text, words.find_list("craft")) > 0,
        specific=_weigh_specific(text),
        doing=_count(text, words.find_list("doing")) > 0 or bool(_ASKING.search(text)),
    )


def _weigh_specific(text: str) -> int:
    """Return the points of a statement that means one thing: *the* dashboard, not dashboards."""
    nouns = {word for match in _DEFINITE.findall(text.lower()) for word in match.split()}
    if nouns & _list_forms(words.find_list("work")):
        return 2
    return int(bool(nouns & _list_forms(words.find_list("craft"))))


def _count(text: str, listed: WordList) -> int:
    """Count the listed words that a text has."""
    known = len(_words_of(text) & _list_forms(listed))
    if text.isascii():
        return known
    return known + sum(piece in text for piece in listed.chinese)


@cache
def _people_words() -> WordList:
    """Return the words for the user's people and animals."""
    around = words.find_list("around")
    english = {
        word
        for word, found in english_words().items()
        if is_kin_or_pet(found.relation.name)
        and not found.needs_owner
        and found.relation.name not in words.find_list("kin_or_not").english
    }
    chinese = {
        word
        for word, found in chinese_words().items()
        if len(word) > 1
        and not found.needs_owner
        and not any(one in word for one in around.chinese)
    }
    return WordList(around.english | english, around.chinese | chinese)


@remember_results(1)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


@cache
def _list_forms(listed: WordList) -> frozenset[str]:
    """Return words with their regular endings. Stems would take `account` for `accountant`."""
    return frozenset(form for word in listed.english for form in _inflect(word))


def _inflect(word: str) -> Iterator[str]:
    short = word.removesuffix("e")
    yield from (word, f"{word}s", f"{word}es", f"{short}ed", f"{short}ing")
    yield from (f"{word}{word[-1]}ed", f"{word}{word[-1]}ing")
    if word.endswith("y"):
        yield from (f"{word[:-1]}ies", f"{word[:-1]}ied")


_WORD = lazy_regex("[a-z]+")
_PROJECT_NOUNS = (
    r"repos?|repositor(?:y|ies)|projects?|code ?bases?|monorepo|workspace|modules?|packages?"
    r"|librar(?:y|ies)|services?|apps?|applications?|apis?|sites?|websites?|builds?|pipelines?"
    r"|branch(?:es)?|teams?|sprints?|releases?|products?|backend|frontend|servers?|databases?"
    r"|clients?|customers?|plugins?|components?|cluster|tests?|deploy(?:s|ments?)?|tickets?|ci"
)
_PROJECT_NOUNS_ZH = (
    "项目|仓库|代码库|代码|工程|服务|模块|应用|系统|组件|类库|分支|团队|平台|产品|版本|迭代|接口"
    "|后端|前端|网站|构建|数据库|小程序"
)
_THIS_PROJECT = lazy_regex(
    rf"\b(?:this|our|the current)\s+(?:[\w-]+\s+){{0,2}}?(?:{_PROJECT_NOUNS})\b"
    r"|\bhere,?\s+we\b|\bwe\b[^.!?]{0,40}\bhere\b"
    r"|\b(?:use|write|run|keep|put|name)\b[^.!?]{0,40}\bhere\b(?! (?:for|to)\b)"
    rf"|(?:这个?|本|该|此|咱们?的?|我们的?|当前)[^，。！？,.]{{0,4}}?(?:{_PROJECT_NOUNS_ZH})"
    r"|(?:项目|仓库|代码库|工程)(?:里|中|内)",
    re.IGNORECASE,
)
_REPORTED = lazy_regex(
    r"^\s*(?:the user (?:says|said|asks|asked|told|notes|noted)(?: to remember)?(?: that)?"
    r"\s*[:,]?\s*"
    r"|用户(?:说|要求|提到|表示)(?:记住)?\s*[:：，]?\s*)",
    re.IGNORECASE,
)
"""Lead-in of a report, which tells nothing of what the statement is about."""
_EVERY_PROJECT = lazy_regex(
    r"\b(?:(?:in|for|on|to|of|across) (?:all|every|any|each)|whatever|whichever|across"
    r"|all (?=my|our)|no matter (?:which|what)|regardless of)(?: of)?(?: (?:my|our|the|other))?"
    r" (?:projects?|repos?|repositor(?:y|ies)|code ?bases?)\b"
    r"|(?:所有|每一?个|任何|各个|全部|不管|无论|不论)(?:的|是)?(?:哪一?个|什么)?的?"
    r"(?:项目|仓库|代码库|工程)",
    re.IGNORECASE,
)
_SELF = lazy_regex(
    r"^(?:[Pp]refers|[Ll]ikes|[Ll]oves|[Ee]njoys|[Dd]islikes|[Hh]ates)\b|^更?(?:喜欢|偏好|讨厌)"
    r"|\bI\b|\b(?:[Mm]y|[Mm]e|[Mm]ine|[Mm]yself)\b"
    r"|(?:^|[.!?;:,(“\"]\s*|\b(?:and|but|because|so) )(?:[Tt]he )?[Uu]ser(?:'s|’s)?\b"
    r"(?!\s+(?:service|table|interface|model|stor(?:y|ies)|guide|manual|endpoint"
    r"|api|API|ids?|IDs?|menu|input|list|settings|groups?|roles?|data|records?|accounts?|session"
    r"|flow|form|page|tests?|clicks?|logs|submits|is redirected|enters|uploads|types|presses|taps"
    r"|signs|registers|requests|sees)\b)"
    r"|我(?![们司方])|本人"
    r"|(?:^|[，。！？；：、,.!?;:“\"\s]|因为|但是?|而且?)用户(?!表|服务|接口|模块|登录|名|端|界面|数据|中心|权限|量|反馈|体验|组|系统|注册"
    r"|信息|点击|提交|输入|画像|\s*[A-Za-z])"
)
_DEFINITE = lazy_regex(r"\bthe (?!user\b)(?=((?:[a-z-]+ ){0,2}[a-z-]+))")
_US = lazy_regex(r"\b(?:we|us|our)\b|我们|咱", re.IGNORECASE)
_HABIT = lazy_regex(
    r"\b(?:I|[Tt]he user) (?:usually|always|mostly|normally|often|never) [a-z]"
    r"|\b(?:I|[Tt]he user) (?:only )?(?:uses?|works?|takes?|goes|go|plays?|stud(?:y|ies)"
    r"|owns?|drives?|wears?|reads?)\b"
    r"|我(?:一般|平时|通常|经常|总是|每[天周月年晚早])"
)
_ASKING = lazy_regex(
    r"\b(?:want|need|ask|request)(?:s|ed)? (?:for )?(?:the|this|that)\b|(?:想?要|选)了?[这那][个种]"
)
"""Asks for one thing that only the conversation names."""
_PERSONAL_PHRASE = lazy_regex(rf"\b(?:{words.PHRASES_PERSONAL})\b", re.IGNORECASE)
_WORK_PHRASE = lazy_regex(rf"\b(?:{words.PHRASES_WORK})\b", re.IGNORECASE)
_ADDRESS = lazy_regex(
    r"https?://\S+|(?<![^\s@])[^\s@]+@[^\s@]+\.\w+"
    r"|\b(?:YouTube|LinkedIn|GitHub|GitLab|WhatsApp|MacBook|PayPal|WeChat|TikTok|FaceTime|AirPods"
    r"|PlayStation|OpenAI|ChatGPT|JavaScript|TypeScript|COVID-\d+|(?:Mc|Mac|De|Du|Le|La|Di|Fitz|Van)"
    r"[A-Z][a-z]+)\b"
)
"""Addresses and names that are written like code and are none."""
_CODE = lazy_regex(
    r"`[^`\n]+`"
    r"|(?<![\w/.])(?:~|\.{1,2})/[\w./-]+|(?<![\w/.])/[a-z][\w-]*(?:/[\w.-]+)*"
    r"|(?<![\w/.])(?:src|lib|tests?|docs|server|app|bin|packages|cmd|internal|config)/[\w./-]*"
    r"|(?<![\w/])(?=[\w./-]*[a-z])(?:[\w.-]+/){2,}[\w.-]+"
    r"|\b[\w-]+\.(?:py|js|ts|tsx|jsx|go|rs|java|kt|rb|php|c|cc|cpp|h|hpp|cs|swift|sql|sh|md|json"
    r"|ya?ml|toml|ini|cfg|conf|env|lock|html|css|scss|xml|proto|tf|gradle|csv|txt|log|ipynb)\b"
    r"|\b[a-z0-9]+(?:_[a-z0-9]+)+\b|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|\b\w+\(\)"
    r"|\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b|\b[a-z]{2,}[A-Z][A-Za-z0-9]*\b"
    r"|\b[A-Z]{2,}-\d{2,}\b|\b[A-Z]\d{3,}\b|(?<!\w)#\d+\b|(?<!\S)--[a-z][\w-]+"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b|\blocalhost\b|\bports? \d+|\bv\d+(?:\.\d+)+\b"
    r"|\b(?:returns?|status|HTTP) [1-5]\d\d\b|返回 ?[45]\d\d"
)
"""Paths, file names, identifiers, tickets, error codes, flags, addresses of machines, versions."""

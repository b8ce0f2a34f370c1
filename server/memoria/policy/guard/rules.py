"""What the user has ruled out, where they name the command, the flag or the file literally."""

import re
from collections.abc import Iterator, Sequence

from memoria.bare.guard import EDIT, NEW
from memoria.policy.guard.lifting import names_any
from memoria.policy.guard.steps import GuardStep
from memoria.policy.guard.telling import name_day, quote_words

_LONGEST_SAID = 1_200
_MOST_NAMES = 4
_SENTENCE = re.compile(r"(?<=[。!！?？\n])|(?<=\.)(?=\s|$)")
_CLAUSE = re.compile(
    r"[,，;；：()（）。!！]|[:.](?:\s|$)|\s[-–—]\s"
    r"|\band(?= (?:no|never|do not|don'?t)\b)"
    r"|\b(?:but|because|instead|that|which|until|when|if|so|since|even)\b"
)
_BAN = r"(?<!要)不要|(?<![特级分区类识性差告个辨鉴派离])别|不许|不准|不能(?!用?$|.*了)|禁止|勿"
# What begins a clause is an order, and no remark on what something does not do.
_ORDER = re.compile(
    r"^(?:(?:and|so|but|also|just|please|always|again|then|here|ok|no|you|must|should|to) )*"
    r"(?:never|avoid|stop|no|do not|don'?t|must not|mustn'?t)\s+(?P<en>.+)"
    rf"|(?P<before>.*?)也?(?:{_BAN})(?!的|人|处|名|忘|担心|急|管|说|怕|紧)(?P<zh>.+)",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"\bleave\s+(\S+)\s+alone\b|(\S+)\s+(?:is (?:frozen|off[- ]limits|read-only)|stays as it is)\b",
    re.IGNORECASE,
)
_NO_ORDER = re.compile(
    r"[?？]\s*$|吗|为什么|\b(?:forget|worry|hesitate|mind|unless|except|yet|for now)\b"
    r"|除非|如果|要是|先别|先不要|暂时|取消|作废|解除|(?:之前|上次|原来|以前)说"
    r"|\b(?:other|another|mobile) (?:project|repo|team)|隔壁|别的(?:项目|组)|另一个(?:项目|仓库)",
    re.IGNORECASE,
)
_ALLOWS = re.compile(
    r"\b(?:ok|okay|fine|may|can|go ahead|allowed?|feel free|now|anyway|no longer|gone|once|yes)\b"
    r"|this time|可以|允许|没事|行[,，。]|吧|这次|不用管|放开|取消|作废|解[除禁]|能[用改推跑]",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"`[^`]+`|(?<!\w)'[^']+'|\"[^\"]+\"|“[^”]+”|「[^」]+」|[A-Za-z][\w./:@-]*[\w/]|--?[A-Za-z][\w-]*|\.\w[\w.]*|(?<=\s)\.(?=\s)|[A-Za-z]|[或也和、推]|提交"
)
_BESIDE = re.compile(r"[（(]`?((?:[\w./:-]+ )?--?\w[\w-]*(?: [\w./:-]+)?)`?[）)]")
"""A flag in parentheses behind what it is for."""
_PLACE = re.compile(r"\b(?:in|on|for|from) (?:the|this|that|our|my|any) [A-Za-z]+\b")
_TELLING = re.compile(r"[`'\"“「/:_-]|\w\.\w|\d")
_OR = frozenset(("or", "nor", "或", "也", "和", "、"))
_QUOTES = "`'\"“”「」"
_VERBS = {"推": "push", "提交": "commit"}
_PATH = re.compile(r"/|\w\.\w|^\.\w")
_CHANGES = re.compile(
    r"\b(?:edit|write|touch|change|modify|alter|delete|remove|rename|move|overwrite)\b|[改动碰删写]",
    re.IGNORECASE,
)
_RUNS = re.compile(r"\b(?:run|us(?:e|ing)|call|execute)\b|[用跑]|执行|运行|`", re.IGNORECASE)
_EXECUTES = re.compile(r"\b(?:run|call|execute)\b|跑|执行|运行", re.IGNORECASE)
_OF = re.compile(r"[A-Za-z]\s*(?:的|库|环境|目录|分支|账号|数据|用户|表|服务|标签|集群)")
"""What makes a name tell of which thing, and no command."""
_ADDS = re.compile(r"\badd\b|\bnew (?:file|one|version|migration)s?\b|新[增建加]", re.IGNORECASE)
_INSTALLS = re.compile(r"\binstall\w*\b|装")
_INSTALLERS = ["do install", "do add", "do i"]
_STOPS = frozenset(
    "the a an to in on of for from with by at and it its this these those any my our here there"
    " ever directly straight branch yourself again anymore run use using call execute do try file"
    " files folder hand manually edit write touch change modify alter delete remove rename move"
    " overwrite install new please flag option repo repository project codebase".split()
)

Drawn = tuple[dict[str, object], tuple[str, ...]]


def draw_rules(steps: Sequence[GuardStep]) -> Iterator[Drawn]:
    """Yield words on what was ruled out, the newest first."""
    for i in range(len(steps) - 1, -1, -1):
        step = steps[i]
        if not step.said or len(step.said) > _LONGEST_SAID:
            continue
        sentences = [one for one in _SENTENCE.split(step.said) if one.strip()]
        for n, sentence in enumerate(sentences):
            for names, match in _read_rules(sentence):
                if any(_takes_back(later.said, names) for later in steps[i + 1 :] if later.said):
                    continue
                quoted = quote_words("".join(sentences[n : n + 2]))
                line = f"The user said on {name_day(step.at)}: {quoted} [{step.id}]"
                yield {**match, "line": line}, (step.id,)


def _takes_back(said: str, names: Sequence[str]) -> bool:
    """Check whether the user has allowed later what they had ruled out, or asked for it."""
    for sentence in _SENTENCE.split(said):
        told = sentence.casefold()
        for word, name in _VERBS.items():
            told = told.replace(word, f" {name} ")
        named = [one for one in names if names_any(told, (one.casefold().rpartition("/")[2],))]
        begin = " ".join(told.split()[:2])
        is_asked = len(named) == len(names) and (
            all(map(_TELLING.search, names)) or names_any(begin, (names[0].casefold(),))
        )
        if (is_asked or (named and _ALLOWS.search(sentence))) and not any(_read_rules(sentence)):
            return True
    return False


def _read_rules(sentence: str) -> Iterator[tuple[list[str], dict[str, object]]]:
    """Yield what a sentence rules out: the names it gives, and the marks of what it means."""
    against = ["--dry-run", "--help", *([NEW] if _ADDS.search(sentence) else ())]
    for told, is_change in () if _NO_ORDER.search(sentence) else _list_orders(sentence):
        for names in _list_names(told):
            match = _match_names(names, told, is_change=is_change)
            if match is not None:
                yield names, {**match, "none": against}


def _list_orders(sentence: str) -> Iterator[tuple[str, bool]]:
    """Yield what each clause rules out, and whether that is to change it."""
    before = ""
    for clause in _CLAUSE.split(_BESIDE.sub(r" or `\1`", sentence)):
        stays, order = _STAYS.search(clause), _ORDER.search(clause.strip())
        if stays is not None:
            told = next(one for one in stays.groups() if one)
            yield told, _PATH.search(told) is not None
        elif order is not None:
            told = order["en"] or order["zh"]
            around = told if order["en"] else _NAME.sub(" ", told)
            if order["before"] and _NAME.search(order["before"]):
                told = f"{order['before']} {told}".strip()
            if not _list_names(told):  # then it is of what the clause before has named
                named = " ".join(one for one in _NAME.findall(before) if _TELLING.search(one))
                told = f"{named} {told}"
            yield told, _CHANGES.search(around) is not None
        before = clause


def _match_names(names: list[str], told: str, *, is_change: bool) -> dict[str, object] | None:
    """Return the marks of what is ruled out; None where it is unsure what that is."""
    wanted = [f"at {one}" if is_change or _PATH.search(one) else one for one in names]
    either = _INSTALLERS if _INSTALLS.search(told) else []
    begun = [f"do {one.rpartition('/')[2]}" for one in names]
    is_plain = wanted[0] == names[0] and names[0][:1] != "-"
    if is_change:
        wanted.append(EDIT)
    elif len(names) > 1:  # a command where that comes first, else a flag and what it is given to
        either = either or (begun if is_plain else [])
    elif _RUNS.search(told):
        if is_plain and _OF.search(told):
            return None
        is_run = is_plain or (names[0][:1] != "-" and _EXECUTES.search(told))
        wanted = begun if is_run else wanted
    elif is_plain:
        if names[0] != told.strip():
            return None
        wanted = wanted if _TELLING.search(names[0]) else begun
    return {"all": wanted, "any": either}


def _list_names(told: str) -> list[list[str]]:
    """List the names in what was ruled out, for each of several that an `or` joins.

    What stands in quotation marks is one name, and all of it.
    """
    words = [_VERBS.get(one, one).rstrip("/") for one in _NAME.findall(_PLACE.sub(" ", told))]
    words = [one for one in words if one.casefold() not in _STOPS]
    joined = {i for n, one in enumerate(words) if one in _OR for i in (n - 1, n + 1)}
    shared = [one for i, one in enumerate(words) if i not in joined and one not in _OR]
    either = [one for i, one in enumerate(words) if i in joined and one not in _OR]
    alone = [[one] if one[0] in _QUOTES else [*shared, one] for one in either]
    found = [
        [part for one in names for part in one.strip(_QUOTES).split()]
        for names in alone or [shared]
    ]
    return [one for one in found if 0 < len(one) <= _MOST_NAMES]

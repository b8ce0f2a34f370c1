"""What the user has ruled out, where they name a command, a flag or a file literally."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from memoria.policy.guard.steps import GuardStep
from memoria.policy.guard.telling import name_day, quote_words

_LONGEST_SAID = 1_200
_SENTENCE = re.compile(r"(?<=[。!！?？\n])|(?<=\.)(?=\s|$)")
_CLAUSE = re.compile(
    r"[,，、;；:：]\s|[,，;；]|\s[-–—]\s|\b(?:but|because|instead)\b"
    r"|\band (?:put|use|write|do|run|add|make)\b"
)
# What begins a sentence or a clause is an order, and no remark on what something does not do.
_RULED_OUT = re.compile(
    r"(?:^\s*|[.,;:!?(–—-]\s*"
    r"|\b(?:please|possibly|must|should|and|or|so|but|you|to|also|just|always|again|here)\s+)"
    r"(?:never(?! (?:mind|say never|to\b|again))|avoid|stop using|no (?=`)"
    r"|(?:do not|don'?t)(?! (?:forget|worry|hesitate|mind|know|think|need|have|care|see|you)\b))"
    r"|\bleave\b[^!?\n]{1,80}?\balone\b|\bmust not\b|\bis not (?:allowed|ok|okay)\b"
    r"|(?<!要)不要(?!紧|忘|担心|急)|(?<![特级分区类识性差告个辨鉴派离])别(?!的|人|处|忘|担心|急|管|说|怕)"
    r"|不许|不准(?!确)|不能(?=再?(?:动|改|删|碰|跑|推|用|直接|手动|提交|上传))|禁止|勿",
    re.IGNORECASE,
)
_ASKED = re.compile(r"(?:[？]|为什么.*|吗[?？]?)\s*$")
_ELSEWHERE = re.compile(
    r"\b(?:other|another|mobile) (?:project|repo|team)|\bin my other\b"
    r"|隔壁|别的(?:项目|组)|另一个(?:项目|仓库)"
    r"|\b(?:I|we|they|you|it|he|she) (?:do not|don't|never)\b|\bjust kidding\b|开玩笑",
    re.IGNORECASE,
)
_TICKED = re.compile(r"`([^`\n]{2,80})`")
_PATH = re.compile(
    r"(?<![\w/@.~-])((?:[\w.@-]+/)+[\w.@*-]+/?|\.[A-Za-z][\w.]{1,20}|[\w.-]+\.(?:json|ya?ml|toml|py|ts"
    r"|js|lock|sql|md|env|xml|ini|cfg|rs|go|php|rb))(?![\w/])"
)
_CODE = re.compile(r"(?<![\w`./-])([a-z]+:[a-z]+|--?[a-z][a-z-]+|[a-z]+\.[a-z]+(?![\w.]))(?![\w`])")
_PLAIN_WORD = re.compile(r"[A-Za-z][\w:-]*|-{1,2}[a-z][\w-]*|\.(?!\w)")
_PROGRAMS = frozenset(
    "git npm pnpm yarn npx pip cargo docker kubectl helm terraform alembic mix rails php artisan"
    " composer brew apt make go dotnet gradle mvn conda poetry uv bundle gem flutter pod".split()
)
_STOPS = frozenset(
    "against in from by the a an for this that it with to on at or and here there yourself ever"
    " anymore again any my your our into them .".split()
)
_ABOUT = re.compile(r"` (?:of|for|on|against) (?:the )?(\w[\w-]*)")
_ADDED = re.compile(r"\b(?:add|install) ([a-z][\w@/.-]+)\b(?! to\b)")
_DOTTED = re.compile(r"[a-z]+\.[a-z]\w*")
_BACK = re.compile(r"\b(?:in there|that (?:file|folder|one)|them|this (?:file|folder))\b|它|里面")
_ALLOWS = re.compile(
    r"\b(?:ok|okay|fine|may|can|go ahead|allowed?|feel free|now|anyway|no longer|gone|once|yes)\b"
    r"|可以|允许|没事|行[,，。吧]|不用管|放开|能[用改推跑]",
    re.IGNORECASE,
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
            is_back = bool(n and _BACK.search(sentence))
            rule = _read_rule(sentence, step.said, sentences[n - 1] if is_back else "")
            if rule is None or _is_taken_back(steps[i + 1 :], rule):
                continue
            quoted = "".join(sentences[n - is_back : n + 2])
            line = f"The user said on {name_day(step.at)}: {quote_words(quoted)} [{step.id}]"
            yield {**rule, "kind": "rule", "line": line}, (step.id,)


def _read_rule(sentence: str, whole: str, before: str) -> dict[str, object] | None:
    """Return what a sentence rules out literally; None for nothing.

    Args:
        sentence: one with a word of refusal, or not.
        whole: all that was said.
        before: the sentence before, where this one says `there` or `that file`; else empty.
    """
    found = _RULED_OUT.search(sentence)
    if found is None or _ELSEWHERE.search(whole) or _ASKED.search(sentence):
        return None
    ruled, topic = _cut_clause(sentence, found)
    ticked = _TICKED.findall(ruled)
    plain = _TICKED.sub(" ", ruled)
    phrases = [one for one in ticked if not _PATH.fullmatch(one)]
    phrases += [one for one in _CODE.findall(plain) if not _PATH.fullmatch(one)]
    phrases += _list_phrases(plain)
    named = [*_TICKED.findall(ruled), *_PATH.findall(plain), *_PATH.findall(topic + before)]
    files = [one for one in named if _PATH.fullmatch(one) and one not in phrases]
    packages = _ADDED.findall(plain)
    if not phrases and not files and not packages:
        return None
    return {
        "phrases": phrases,
        "files": files,
        "packages": packages,
        "allowed": [one for one in _TICKED.findall(whole) if one not in ticked],
        "about": [one for one in _ABOUT.findall(ruled) if one not in _STOPS],
        "texts": [one for one in phrases if _DOTTED.fullmatch(one)],
    }


def _list_phrases(text: str) -> list[str]:
    """List the commands that a text names without any sign around them."""
    words = _PLAIN_WORD.findall(text)
    found = []
    for i, word in enumerate(words):
        told = [*takewhile(lambda one: one not in _STOPS, words[i + 1 : i + 4])]
        if word in _PROGRAMS and told:
            found.append(" ".join((word, *told)))
    return found


def _cut_clause(sentence: str, found: re.Match[str]) -> tuple[str, str]:
    """Return the part of a sentence that a word of refusal governs, and what stands before it."""
    begin = 0
    for before in _CLAUSE.finditer(sentence, 0, found.start()):
        begin = before.end()
    cut = _CLAUSE.search(sentence, found.end())
    end = cut.start() if cut else len(sentence)
    is_behind = found[0][:1] >= "\u4e00" or "alone" in found[0] or found[0].startswith("is not")
    return sentence[begin if is_behind else found.start() : end], sentence[: found.start()]


def _is_taken_back(later: Sequence[GuardStep], rule: dict[str, object]) -> bool:
    """Check whether the user has spoken of it since without ruling it out again."""
    names = [one.rstrip("/").rpartition("/")[2] for one in _texts(rule, "files")]
    for one in _texts(rule, "phrases"):
        flags = [word for word in one.split(" ") if word.startswith("-") and len(word) > 2]  # noqa: PLR2004
        names += [one, *flags]
    return any(
        one.said
        and not _RULED_OUT.search(one.said)
        and _ALLOWS.search(one.said)
        and any(name.casefold() in one.said.casefold() for name in names)
        for one in later
    )


def _texts(rule: dict[str, object], name: str) -> list[str]:
    value = rule.get(name)
    return value if isinstance(value, list) else []

"""What lifts a word: something was said or done since, and the cause may be gone."""

import re
from collections.abc import Iterable

_CHANGED = re.compile(
    r"(?:^|\b(?:I|we|they|it|ops|just|already)(?:'ve| have| has)?(?: just| already| now)* )(?:re)?"
    r"(?:installed|upgraded|updated|switched|enabled|granted|mounted|fixed|repaired|unlocked|renewed"
    r"|freed|closed|opened|moved|replaced|plugged|got|turned|started)\b"
    r"|\b(?:have|has|'ve) (?:put|set)\b"
    r"|\b(?:bumped|upgraded|rebooted|reinstalled|no longer|any ?more)\b"
    r"|\b(?:works?|exists?|is|are|ha(?:ve|s)|up|back|fine|ok)\b[^.,;]{0,30}\bnow\b"
    r"|\bnow (?:works?|exists?|is|are|ha(?:s|ve))\b"
    r"|\bnew (?:\w+ )?(?:machine|laptop|computer|pc|mac|box|server|vm|container|cluster|runner)\b"
    r"|(?:装|升级?|换|配|改[好成]|(?<![打离展公])开|(?<!继)续|批|停|扩|清(?!楚)|连[上通]|迁|搬|启用|修好)"
    r"[^,;，。；！!?？]{0,20}了|(?:网络?|代理|权限|[弄搞])好了|通了|起来了|可以了|空出|恢复了|重[装启]过|不再"
    r"|我(?:把|给|已经?|刚)[^,;，。；！!?？]{1,40}了|(?:加[到进]|写[进入])[^,;，。；]{0,20}了"
    r"|已经?[装修换开升配加批迁]|现在[^,.;，。；]{0,6}(?:能|可以|不用|不需要|走|用的是)"
    r"|[新换](?:的|了|成)?(?:一?台)?(?:机器|电脑|笔记本|服务器|容器|环境|集群|虚拟机|板子|设备|硬盘)",
    re.IGNORECASE,
)
_ASKED = re.compile(r"[?？]\s*$|[吗呢]|没")
_SENTENCE = re.compile(r"(?<=[。!！?？\n])|(?<=[.;])(?=\s|$)")
_NAME = re.compile(r"[A-Za-z_$][\w./@-]*\w|\d{2,}", re.ASCII)
_TELLING = re.compile(r"[\d_/.@-]|[a-z][A-Z]|^[A-Z]{3,}$")
_PART = re.compile(r"[^\W\d_]{2,}|\d{2,}")


def tells_change(said: str) -> bool:
    """Check whether somebody says that the machine is another than before: what failed may work."""
    return any(_CHANGED.search(one) and not _ASKED.search(one) for one in _SENTENCE.split(said))


def list_telling(texts: Iterable[str]) -> set[str]:
    """List the names in texts that are no plain words: variables, files, versions, ports."""
    return {name for one in texts for name in _NAME.findall(one) if _TELLING.search(name)}


def list_parts(texts: Iterable[str]) -> frozenset[str]:
    """List the words in texts and in the names that these give, in small letters."""
    return frozenset(part.casefold() for one in texts for part in _PART.findall(one))


def names_any(text: str, names: Iterable[str]) -> bool:
    """Check whether a text names one of some names."""
    return any(
        one in text and re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", text) for one in names
    )

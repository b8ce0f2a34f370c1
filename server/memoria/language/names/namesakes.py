"""Namesakes: splits the qualifier from a name, which tells entities of the same name apart.

`Anna (sister)`, `Anna, my sister`, `Anna from work`, 小李（同事）: a name and its qualifier.
Brackets with text in another script repeat the name and hold no qualifier: 林岚 (Lin Lan).
"""

from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex

_BRACKETED = lazy_regex(r"(?P<name>[^()（）]+?)\s*[(（](?P<which>[^()（）]+)[)）]")
_WORDS = r"[A-ZÀ-Þ][\w'’.-]*(?: [A-ZÀ-Þ][\w'’.-]*){0,3}"
_FROM = lazy_regex(rf"(?P<name>{_WORDS}) (?:from|at) (?P<which>\w[\w '’-]*)")
_APPOSITION = lazy_regex(rf"(?P<name>{_WORDS}), (?P<which>(?:my|our|the|his|her|their) [\w '’-]+)")
_OWNERS = lazy_regex(
    r"(?i:(?:the user['’]s|user['’]s|my|our|the|an?|his|her|their)\s+)|(?:我们?|用户)的?"
)
_CHINESE = lazy_regex("[一-鿿]")


class QualifiedName(NamedTuple):
    """A name, and its qualifier if it has one."""

    name: str
    qualifier: str | None


def split_qualifier(name: str) -> QualifiedName:
    """Split a name into the plain name and its qualifier, None where it has none.

    >>> split_qualifier("Anna, my sister")
    QualifiedName(name='Anna', qualifier='sister')
    """
    for form in (_BRACKETED, _FROM, _APPOSITION):
        found = form.fullmatch(name.strip())
        if found is not None and _in_one_script(found["name"], found["which"]):
            which = found["which"].strip()
            return QualifiedName(
                found["name"].strip(), which.removeprefix(_owner(which)).strip() or which
            )
    return QualifiedName(name, None)


def _in_one_script(name: str, which: str) -> bool:
    return bool(_CHINESE.search(name)) == bool(_CHINESE.search(which))


def _owner(which: str) -> str:
    """Return the possessive at the beginning (`my`, `the`, 我的), which distinguishes nobody."""
    found = _OWNERS.match(which)
    return found[0] if found else ""

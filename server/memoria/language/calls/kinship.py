"""How near two commands are: whether one may have been run in the other's place."""

from memoria.bare.lazy_regex import lazy_regex

_FAMILIES = (
    "npm pnpm yarn bun npx pnpx bunx",
    "pip uv poetry pipenv conda mamba micromamba pdm",
    "docker podman nerdctl docker-compose",
    "python python3 py pypy",
    "make just task",
    "gradle mvn sbt",
    "apt apt-get aptitude dnf yum apk brew",
    "install add i",
)
_FAMILY_OF = {word: family for family in _FAMILIES for word in family.split()}
_READERS = frozenset(
    "cat ls grep rg ag find head tail wc less more tree stat du df ps pgrep which type file pwd"
    " echo printf env printenv date whoami id uname history sort uniq diff cmp lsof ss netstat"
    " jq".split()
)
_READING_KEYS = frozenset(
    "git status|git log|git diff|git show|git branch|git blame|git remote|git stash list|docker ps"
    "|docker logs|docker images|docker inspect|kubectl get|kubectl describe|kubectl logs|npm ls"
    "|npm view|pip show|pip list|pip freeze|docker compose ps|docker compose logs".split("|")
)
_WORD = lazy_regex(r"[^\W_][\w.:@+-]*")
_KIN = 0.5
_SAME_KEY = 0.25


def is_reader(key: str) -> bool:
    """Check whether a command, by its key, only looks at something."""
    return key in _READING_KEYS or key.partition(" ")[0] in _READERS


def rate_kinship(one: str, other: str, *, has_same_key: bool) -> float:
    """Return how near two whole commands are, 0 to 1: which share of the shorter the other has."""
    words, others = _list_words(one), _list_words(other)
    if not words or not others:
        return 0.0
    shared = len(words & others) / min(len(words), len(others))
    wide = len(words & others) / max(len(words), len(others))
    return min(1.0, (shared + wide) / 2 + (_SAME_KEY if has_same_key else 0.0))


def are_kin(one: str, other: str, *, has_same_key: bool) -> bool:
    """Check whether one of two whole commands may have been run in the other's place."""
    return rate_kinship(one, other, has_same_key=has_same_key) >= _KIN


def _list_words(command: str) -> set[str]:
    words = (word.casefold() for word in _WORD.findall(command))
    return {_FAMILY_OF.get(word, word) for word in words}

"""Sieve for texts that surely hold no secret and nothing private, without the table of secrets.

To load the table (`language/secrets/redact`) takes ten times as long as a hook may. So a hook only
asks which texts the table could not touch: those that lack what each of its forms needs. A secret
has a name before it, stands in a place of its own, or begins as its vendor's tokens do, and most
have digits. Whatever has one of these is handed to a process that has the table (`handover.py`),
harmless as it may be. What passes is as it would be after cleaning; a test holds this to both
corpora of secrets.

Every rule but one is of the kind "the text has this", so that a text passes only if all parts of it
do. The names and the beginnings of tokens are read from the table's own files.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 20_000
"""Longest text to check; a longer text is handed over, as checking takes too long."""

_TABLES = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
    "language",
    "secrets",
)
_NAMES, _FORMATS, _SEED_WORDS = "names.tsv", "formats.tsv", "bip39_english.txt"

# Signs of a secret or of a private span, whatever else is in the text.
_SIGNS = (
    "private key|private-lines|static key|----|sig=|sig%3d|signature=|key=|bearer |authorization"
    "|identified |:5432:|:*:|wifi:|net use |net user |convertto-securestring|mc alias set "
    '|snmpwalk |snmpget |send "|<<<| -p| -hp| -a | -u| --user| --proxy-user| -w | -t | /p:'
    "|flyv1 |ssws |geniekey |splunk |apikey |zoho-oauthtoken |dpop |ntlm |negotiate |oauth |basic "
    "|klaviyo-api-key |sharedaccesssignature "
    "| /rp | /user:| -b|seed|mnemonic|助记词|助記詞|恢复短语"
).split("|")
_COMMON = ("pass", "pw", "key", "token")
"""Names of secrets that are also ordinary words or parts of them."""
_KEYS = ("key", "token")
_GROUP = 4
_PASSWORD_SIGNS = frozenset("0123456789:：=\"'`“”‘’「『【«„!@#$%^&*|<>(（—–→\t;,\\")
"""Characters of which a password has at least one, even after its name."""
_ENDINGS = frozenset(
    "prod production dev development test testing stage staging live local main default base data "
    "value string text plain raw new old b".split()
)
"""Words that may follow the name of a secret (`language/secrets/names.py`)."""
_OF_NO_SECRET = {
    "key": frozenset(
        "the a an this that these its our your my any no each every same which what new next last "
        "first primary foreign sort unique cache dict row per one two and or by in of to".split()
    ),
    "token": frozenset("next page start first last stop end special input output total".split()),
}
"""Words after which a key, or a token, is no secret's name."""
_CODE_WORDS = (
    "otp code codice código kod код コード 번호 코드 رمز कोड mã 码 碼 pin geheimzahl пин cvv cvc"
).split()
_DIGITS = "0123456789"
_PLACES = ((("://",), "@"), (("auth",), ":=,"), (("cookie",), "="), (("echo ", "printf "), "|"))
"""Places in which secrets stand: each has one sign of every group."""
_PLACES_OF_DIGITS = (
    ((" one is ", " one was ", " login "),),
    (("recovery", "backup", "rescue", "恢复", "备"),),
    (("cred", "login", "user"), "/:|"),
)
"""Places in which secrets with a digit stand."""
_RUN_CHARS = b"~/+=:%$.-_"
_WORD_CHARS = b"-_"
_SHORTEST_RUN = 16
_AWS_KEY = 40
_CARD_DIGITS = 14
_CODE_DIGITS = 3
_FEWEST_SEED_WORDS = 12
_NEVER_SEEN = (
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Ranges of invisible characters (`language/reading/fences.py`) that Python takes for
printable."""


def is_surely_clean(text: str) -> bool:
    """Check whether cleaning a text would surely change nothing."""
    if len(text) > LONGEST or not _has_only_seen_characters(text):
        return False
    lower = text.lower()
    if len(lower) != len(text) or _has_one(lower, _SIGNS):
        return False
    return not (
        _may_be_fenced(lower)
        or _has_secret_name(text, lower)
        or _has_secret_place(lower)
        or _has_secret_number(lower)
        or _has_token(text)
        or _has_seed_phrase(lower)
    )


def flatten(value: object, key: str = "") -> str:
    """Return the texts of a JSON value, each behind its key."""
    if isinstance(value, dict):
        return "".join(flatten(item, f"{key} {name}") for name, item in value.items())
    if isinstance(value, list):
        return "".join(flatten(item, key) for item in value)
    if value is None or value == "":
        return ""
    if isinstance(value, str) and len(value) > LONGEST:
        return value  # a longer text is handed over: no need to copy it
    return f'"{key}": "{value}"\n' if key else f"{value}\n"


def _has_only_seen_characters(text: str) -> bool:
    if text.isascii():
        return text.isprintable() or all(
            char.isprintable() or char in "\n\r\t" for char in frozenset(text)
        )
    for char in frozenset(text):
        if not char.isprintable() and char not in "\n\r\t\u3000":
            return False
        if char > "\u0300" and any(first <= ord(char) <= last for first, last in _NEVER_SEEN):
            return False
    return True


def _may_be_fenced(lower: str) -> bool:
    return "<" in lower and ("private" in lower or "memoria" in lower)


def _has_secret_name(text: str, lower: str) -> bool:
    """Check whether a text has the name of a secret, and a possible value."""
    for before, name in _read_names():
        if name not in _COMMON and name in lower and before in lower:
            return True
    if _PASSWORD_SIGNS.isdisjoint(text) and "\n" not in text:
        return False
    names = [name for name in _COMMON if name in lower]
    if not _may_have_key(text):
        names = [name for name in names if name not in _KEYS]
    return any(_is_named(lower, name) for name in names)


def _may_have_key(text: str) -> bool:
    """Check whether a text has a digit, a table's column or groups of capitals, as keys have."""
    if _has_one(text, _DIGITS):
        return True
    if "\n" in text and _has_one(text, "|\t;,"):
        return True
    groups = text.replace("-", " ").split()
    return any(len(group) == _GROUP and group.isupper() for group in groups)


def _is_named(lower: str, name: str) -> bool:
    at = lower.find(name)
    while at >= 0:
        end = at + len(name)
        if not _goes_on(lower, end) and not _is_of_no_secret(lower, at, name):
            return True
        at = lower.find(name, end)
    return False


def _goes_on(lower: str, at: int) -> bool:
    """Check whether a secret's name is only the beginning of a longer word."""
    end = at
    while end < len(lower) and lower[end].isascii() and lower[end].isalpha():
        end += 1
    return end > at and lower[at:end] not in _ENDINGS


def _is_of_no_secret(lower: str, at: int, name: str) -> bool:
    """Check whether the word before a name shows that it names no secret."""
    before = lower[max(0, at - 12) : at]
    words = before.split()
    return before.endswith(" ") and bool(words) and words[-1] in _OF_NO_SECRET.get(name, ())


def _has_secret_place(lower: str) -> bool:
    """Check whether a text has an address, a header or a command that secrets stand in."""
    if any(all(_has_one(lower, signs) for signs in place) for place in _PLACES):
        return True
    return _has_one(lower, _DIGITS) and any(
        all(_has_one(lower, signs) for signs in place) for place in _PLACES_OF_DIGITS
    )


def _has_one(lower: str, signs: "Sequence[str]") -> bool:
    return any(sign in lower for sign in signs)


def _has_secret_number(lower: str) -> bool:
    """Check whether a text has a number as long as a card's, or beside a word for a code."""
    if not _has_one(lower, _DIGITS):
        return False
    digits = lower.encode("ascii", "replace").translate(_only(_DIGITS), b" -")
    longest = max((len(run) for run in digits.split()), default=0)
    return longest >= _CARD_DIGITS or (longest >= _CODE_DIGITS and _has_one(lower, _CODE_WORDS))


def _has_token(text: str) -> bool:
    """Check whether a text has a long word that begins like a vendor's tokens."""
    plain = text.encode("ascii", "replace")
    runs = [run for run in plain.translate(_RUNS).split() if len(run) >= _SHORTEST_RUN]
    if not runs:
        return False
    starts, landmarks = _read_formats()
    has_aws = _has_one(text.lower(), ("aws", "akia", "asia"))
    for run in runs:
        if (has_aws and len(run) >= _AWS_KEY) or any(mark in run for mark in landmarks):
            return True
        for at in _begin_words(run):
            if any(
                run.startswith(start, at) and len(run) - at >= length
                for start, length in starts.get(run[at : at + 2], ())
            ):
                return True
    return False


def _begin_words(run: bytes) -> list[int]:
    """List the beginnings of words in a run of characters, also behind escapes such as %3D."""
    begun = [at for at in range(len(run)) if not at or run[at - 1] not in _WORD_LETTERS]
    return [*begun, 1, *(at + 2 for at in begun if run[at - 1 : at] == b"%")]


def _has_seed_phrase(lower: str) -> bool:
    """Check whether a text has a row of words from the list of wallets' seed phrases."""
    words = lower.encode("ascii", "replace").translate(_only("abcdefghijklmnopqrstuvwxyz")).split()
    if len(words) < _FEWEST_SEED_WORDS:
        return False
    known = frozenset(_read(_SEED_WORDS).split())
    streak = 0
    for word in words:
        if word in known:
            streak += 1
            if streak >= _FEWEST_SEED_WORDS:
                return True
        elif len(word) > 2:  # noqa: PLR2004  (shorter ones are in no list, and may be an escape's)
            streak = 0
    return False


def _read_names() -> list[tuple[str, str]]:
    """Return what all spellings of secrets' names have in common, each with what precedes it."""
    names = []
    for line in _read(_NAMES).decode("utf-8").splitlines():
        if line and not line.startswith("#"):
            for word in line.split("\t")[2].split():
                before, _, name = word.removeprefix("=").rpartition(">")
                names.append((_cut_ending(before), _cut_ending(name)))
    return names


def _cut_ending(word: str) -> str:
    """Return the part of a table's word that has only one spelling."""
    ends = [end for sign in "_*" if (end := word.find(sign, 1)) > 0]
    return word[: min(ends, default=len(word))]


def _read_formats() -> tuple[dict[bytes, list[tuple[bytes, int]]], tuple[bytes, ...]]:
    """Return the prefixes and minimum lengths of vendors' tokens, by first two letters.

    And the landmarks of those that may begin with anything.
    """
    starts, landmarks = dict[bytes, list[tuple[bytes, int]]](), []
    for line in _read(_FORMATS).splitlines():
        if line and not line.startswith(b"#"):
            form = line.split(b"\t")[1].rstrip(b"?$")
            start, _, rest = form.partition(b"<")
            start = start.partition("«".encode())[0]
            if start:
                least = rest.partition(b">")[0].partition(b" ")[2].rstrip(b"+").partition(b"-")[0]
                length = len(start) + int(least) if least and b"webhook" not in rest else 0
                starts.setdefault(start[:2], []).append((start, length))
            else:
                literals = [part.rpartition(b">")[2] for part in form.split(b"<")]
                landmarks.append(max(literals, key=len))
    return starts, tuple(landmarks)


def _read(name: str) -> bytes:
    with open(os.path.join(_TABLES, name), "rb") as opened:
        return opened.read()


def _only(chars: str | bytes) -> bytes:
    """Return a translation table that keeps these characters and blanks all others."""
    left = chars.encode() if isinstance(chars, str) else chars
    return bytes(code if code in left else 32 for code in range(256))


_LETTERS = bytes(code for code in range(128) if chr(code).isalnum())
_RUNS = _only(_LETTERS + _RUN_CHARS)
_WORD_LETTERS = _LETTERS + _WORD_CHARS

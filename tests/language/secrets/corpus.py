"""The corpora of secrets and of what looks like one: templates, made into text when they are read.

No file of the corpora contains a value that looks like a secret, since scanners of repositories
would stop it. A line is a name, a tab and a template. In a template `{hex:40}` stands for a value
of that kind (`_KINDS`), `\\n`, `\\t` and `\\\\` for a line break, a tab and a backslash, and what
must not survive stands between ⟦ and ⟧. Chance is seeded by the line's name: every reading gives
the same text. Values that carry a checksum carry a valid one.
"""

import base64
import json
import re
import string
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

_HEX = "0123456789abcdef"
_BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
_BASE58 = "".join(sign for sign in _BASE62 if sign not in "0OIl")
_BASE32 = string.ascii_uppercase + "234567"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_SIGNS = "!$*+-.=^~"

_WORDS = (
    "amber anchor barley beacon bramble candle canyon cedar cinder clover cobalt copper coral "
    "cricket dapple dune ember falcon fennel garnet ginger glacier hazel heron indigo island "
    "jasmine juniper kestrel lantern lilac linden lobster maple marble meadow mimosa nectar "
    "nutmeg onyx orchid osprey otter paprika pebble pepper plover quartz quince raven saffron "
    "sorrel sparrow thistle timber trellis tulip velvet walnut willow"
).split()

# The vectors published with BIP 39: words of its list whose last carries a valid checksum.
_SEED_PHRASES = {
    12: (
        "ozone drill grab fiber curtain grace pudding thank cruise elder eight picnic",
        "cat swing flag economy stadium alone churn speed unique patch report train",
        "scheme spot photo card baby mountain device kick cradle pact join borrow",
        "jelly better achieve collect unaware mountain thought cargo oxygen act hood bridge",
    ),
    18: (
        "gravity machine north sort system female filter attitude volume fold club stay feature "
        "office ecology stable narrow fog",
    ),
    24: (
        "hamster diagram private dutch cause delay private meat slide toddler razor book happy "
        "fancy gospel tennis maple dilemma loan word shrug inflict delay length",
        "panda eyebrow bullet gorilla call smoke muffin taste mesh discover soft ostrich alcohol "
        "speed nation flash devote level hobby quick inner drive ghost inside",
        "all hour make first leader extend hole alien behind guard gospel lava path output census "
        "museum junior mass reopen famous sing advance salt reform",
        "void come effort suffer camp survey warrior heavy shoot primary clutch crush open "
        "amazing screen patrol group space point ten exist slush involve unfold",
    ),
}


@dataclass(frozen=True)
class Case:
    """A text, and the parts of it that must not survive: none in what only looks like a secret."""

    name: str
    text: str
    secrets: tuple[str, ...]
    context: tuple[str, ...]


def read_cases(path: Path) -> list[Case]:
    lines = path.read_text("utf-8").splitlines()
    rows = (line.split("\t", 1) for line in lines if line and not line.startswith("#"))
    return [make_case(name, template) for name, template in rows]


def make_case(name: str, template: str) -> Case:
    chance = Random(name)  # noqa: S311  (reproducible, not secret)
    text = _PLACEHOLDER.sub(lambda place: _KINDS[place[1]](chance, place[2] or ""), template)
    text = _ESCAPE.sub(lambda escape: _ESCAPES[escape[1]], text)
    parts = re.split(r"[⟦⟧]", text)
    return Case(name, "".join(parts), tuple(parts[1::2]), tuple(parts[::2]))


def find_survivors(case: Case, cleaned: str) -> list[str]:
    """The secrets of which a telling piece is still in what a cleaner left.

    Of a short secret that is the whole, of a longer one any half of it, and of a long one any
    twenty characters: what a vendor puts before every token may stay.
    """
    return [secret for secret in case.secrets if _survives(secret, cleaned)]


def _survives(secret: str, cleaned: str) -> bool:
    size = len(secret) if len(secret) <= 8 else min(20, (len(secret) + 1) // 2)
    return any(secret[at : at + size] in cleaned for at in range(len(secret) - size + 1))


def _draw(chance: Random, signs: str, count: int) -> str:
    # Only `random()` itself is promised to give the same from one Python to the next.
    return "".join(signs[int(chance.random() * len(signs))] for _ in range(count))


def _pick(chance: Random, choices: tuple[str, ...] | list[str]) -> str:
    return choices[int(chance.random() * len(choices))]


def _bytes(chance: Random, count: int) -> bytes:
    return bytes(int(chance.random() * 256) for _ in range(count))


def _from(signs: str) -> Callable[[Random, str], str]:
    return lambda chance, count: _draw(chance, signs, int(count))


def _password(chance: Random, count: str) -> str:
    """Letters of both cases, digits and a sign, which is neither the first nor the last."""
    middle = _draw(chance, _BASE62 + _SIGNS, int(count) - 5) + _draw(chance, _SIGNS, 1)
    first = _draw(chance, string.ascii_uppercase, 1) + _draw(chance, string.ascii_lowercase, 1)
    return first + middle + _draw(chance, string.digits, 1) + _draw(chance, _BASE62, 1)


def _memorable(chance: Random, _: str) -> str:
    first, second = _pick(chance, _WORDS).title(), _pick(chance, _WORDS).title()
    return first + second + _draw(chance, string.digits, 2) + _draw(chance, "!$*", 1)


def _words(between: str) -> Callable[[Random, str], str]:
    return lambda chance, count: between.join(_pick(chance, _WORDS) for _ in range(int(count)))


def _with_crc(chance: Random, count: str) -> str:
    """A token of GitHub's form (npm's too): the last six characters are a CRC-32 of the rest."""
    body = _draw(chance, _BASE62, int(count) - 6)
    check, digits = zlib.crc32(body.encode()), ""
    while check:
        check, rest = divmod(check, 62)
        digits = _BASE62[rest] + digits
    return body + digits.rjust(6, "0")


def _uuid(version: str) -> Callable[[Random, str], str]:
    def make(chance: Random, _: str) -> str:
        digits = _draw(chance, _HEX, 12)
        start = f"0199{digits[4:]}" if version == "7" else digits
        middle = f"{version}{_draw(chance, _HEX, 3)}-{_draw(chance, '89ab', 1)}"
        end = f"{_draw(chance, _HEX, 3)}-{_draw(chance, _HEX, 12)}"
        return f"{start[:8]}-{start[8:]}-{middle}{end}"

    return make


def _base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _jwt(chance: Random, _: str) -> str:
    claims = {"sub": _draw(chance, "123456789", 10), "iat": 1760000000, "role": "service"}
    parts = ({"alg": "HS256", "typ": "JWT"}, claims)
    texts = [json.dumps(part, separators=(",", ":")).encode() for part in parts]
    return ".".join(_base64url(text) for text in [*texts, _bytes(chance, 32)])


def _basic(chance: Random, user: str) -> str:
    return base64.b64encode(f"{user}:{_password(chance, '14')}".encode()).decode()


def _luhn_digit(digits: str) -> str:
    doubled = [int(digit) * (2 - at % 2) for at, digit in enumerate(reversed(digits))]
    return str(-sum(number // 10 + number % 10 for number in doubled) % 10)


def _card(between: str) -> Callable[[Random, str], str]:
    def make(chance: Random, form: str) -> str:
        start, length = form.split()
        body = start + _draw(chance, string.digits, int(length) - len(start) - 1)
        number = body + _luhn_digit(body)
        groups = (number[:4], number[4:10], number[10:]) if length == "15" else _fours(number)
        return between.join(groups)

    return make


def _fours(number: str) -> tuple[str, ...]:
    return tuple(number[at : at + 4] for at in range(0, len(number), 4))


def _chinese_id(chance: Random, _: str) -> str:
    """A resident's number: district, day of birth, order, and the check digit of GB 11643."""
    body = f"110105{1960 + int(chance.random() * 45)}0{_draw(chance, '123456789', 1)}1"
    body += _draw(chance, string.digits, 4)
    weights = [2 ** (17 - at) % 11 for at in range(17)]
    total = sum(int(digit) * weight for digit, weight in zip(body, weights, strict=True))
    return body + "10X98765432"[total % 11]


def _isbn(chance: Random, _: str) -> str:
    body = "978" + _draw(chance, string.digits, 9)
    total = sum(int(digit) * (1 + 2 * (at % 2)) for at, digit in enumerate(body))
    return f"{body[:3]}-{body[3]}-{body[4:7]}-{body[7:]}-{-total % 10}"


def _pem_body(chance: Random, lines: str) -> str:
    content = base64.b64encode(_bytes(chance, int(lines) * 48 - 20)).decode()
    return "\n".join(content[at : at + 64] for at in range(0, len(content), 64))


_KINDS: dict[str, Callable[[Random, str], str]] = {
    "digits": _from(string.digits),
    "hex": _from(_HEX),
    "hex_upper": _from(_HEX.upper()),
    "lower": _from(string.ascii_lowercase),
    "upper": _from(string.ascii_uppercase),
    "letters": _from(string.ascii_letters),
    "lower_digits": _from(string.ascii_lowercase + string.digits),
    "upper_digits": _from(string.ascii_uppercase + string.digits),
    "alnum": _from(_BASE62),
    "base58": _from(_BASE58),
    "base32": _from(_BASE32),
    "bech32": _from(_BECH32),
    "bech32_upper": _from(_BECH32.upper()),
    "crockford": _from(_CROCKFORD),
    "base64": _from(_BASE62 + "+/"),
    "base64url": _from(_BASE62 + "-_"),
    "base64_bytes": lambda chance, count: base64.b64encode(_bytes(chance, int(count))).decode(),
    "password": _password,
    "memorable": _memorable,
    "passphrase": _words(" "),
    "hyphenated": _words("-"),
    "crc": _with_crc,
    "uuid": _uuid("4"),
    "uuid7": _uuid("7"),
    "jwt": _jwt,
    "basic": _basic,
    "card": _card(""),
    "card_spaced": _card(" "),
    "card_dashed": _card("-"),
    "chinese_id": _chinese_id,
    "isbn": _isbn,
    "seed": lambda chance, count: _pick(chance, _SEED_PHRASES[int(count)]),
    "begin": lambda _, label: f"-----BEGIN {label}-----",
    "end": lambda _, label: f"-----END {label}-----",
    "pem_body": _pem_body,
}
_PLACEHOLDER = re.compile(rf"\{{({'|'.join(_KINDS)})(?::([^{{}}]*))?\}}")
_ESCAPE = re.compile(r"\\([nt\\])")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\"}

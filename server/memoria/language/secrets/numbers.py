"""Secrets that are numbers: cards, their check codes, PINs, and codes for one use.

Codes of doors, gates and lockers are no secrets: people have them remembered, and they open nothing
from afar. What opens an account, a card or a device is a secret, and so are the codes of safes and
alarms.
"""

import re
from collections.abc import Iterator

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.secrets.values import PartIndex, ReadText, Span


def has_check_digit(text: str) -> bool:
    """Check whether the digits of a text end in their check digit (ISO/IEC 7812).

    Every second digit from the right is doubled, and the digits of all are summed; the sum is a
    multiple of ten. A number that repeats one digit does not count.
    """
    digits = [int(char) for char in text if char.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


_DOOR = (
    r"(?:(?:front|back|side|main|car|garden)[ -]?)?(?:doors?|gates?|garage|shed|lockers?"
    r"|(?:bike|bicycle|cycle)(?:[ -](?:lock|shed|room))?|pad ?lock|barn|lobby|entrance|entry"
    r"|key ?pad|(?:key|lock|mail|letter) ?box|stairwell|courtyard|car ?park|parking|barrier"
    r"|building|cellar|basement|laundry(?: room)?|storage(?: unit)?|intercom|elevator|lift"
    r"|turnstile|pool|gym|luggage|suitcase)"
)
_BEFORE_CODE = lazy_regex(
    rf"\b(?:{_DOOR}(?:['’]s)?[ -](?:(?:access|entry|security|unlock|lock|key|pin)[ -])*|lock[ -])$"
)
_BEHIND_CODE = lazy_regex(
    r"(?:code|pin|number|passcode|password)s?(?:[ ](?:for|of|to|at|on)[ ]|[ ]?[(（])"
    rf"(?:[\w'’-]+[ ]){{0,4}}?{_DOOR}\b|密[码碼][锁鎖]"
)
_ELSEWHERE = lazy_regex(
    r"\b(?:screen|phone|iphone|ipad|laptop|computer|sim|card|bank|account|login|app|wi-?fi|router"
    r"|e-?mail|tablet|website|portal|server|vpn|ssh|alarm|safe)\b"
)
_DOOR_ZH = lazy_regex(
    r"(?:门禁|門禁|[门門]|[锁鎖]|车库|車庫|仓库|倉庫|储物柜|更衣柜|柜子|快递柜|信箱|电梯|楼下|[门門]口|[道闸]闸|闸机)"
    r"[上里]?的?[ ]?$"
)
_AROUND = 32
_NEAR = 16


def opens_a_door(read: ReadText, name: int, value: int) -> bool:
    """Check whether a code's name and the words around it are those of a door.

    Args:
        read: the text.
        name: where the name of the code begins: "code", "PIN", 密码.
        value: where the code itself begins.
    """
    before, named = read.lower[max(0, name - _AROUND) : name], read.lower[name:value]
    if _ELSEWHERE.search(named) or _ELSEWHERE.search(before[-_NEAR:]):
        return False
    return bool(_BEFORE_CODE.search(before) or _BEHIND_CODE.match(named) or _DOOR_ZH.search(before))


# Visa, Mastercard, Discover, JCB: four by four; American Express; Diners; UnionPay, maybe longer.
_CARD = lazy_regex(
    r"""(?x) (?: (?<![\w.+-]) | (?<=\\[nrt]) ) (?P<secret>
      (?: 4\d{3} | 5[1-5]\d\d | 2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)
        | 6(?:011|4[4-9]\d|5\d\d) | 35(?:2[89]|[3-8]\d) )
        (?P<gap>[ -]?) \d{4} (?P=gap) \d{4} (?P=gap) \d{4}
    | 3[47]\d\d (?P<slit>[ -]?) \d{6} (?P=slit) \d{5}
    | 3(?:0[0-5]|[689]\d)\d (?P<slot>[ -]?) \d{6} (?P=slot) \d{4}
    | 62\d\d (?P<seam>[ -]?) \d{4} (?P=seam) \d{4} (?P=seam) \d{4} (?:(?P=seam)\d{1,3})?
    ) (?![\w-]|\.\d)""",
    re.ASCII,
)
_DIGIT = lazy_regex(r"\d")
_LONG_NUMBER = lazy_regex(r"\d[\d -]{12,21}\d", re.ASCII)
# What the manuals of banks and payment services give for tests.
_TEST_CARDS = frozenset(
    "4242424242424242 4000056655665556 5555555555554444 2223003122003222 5200828282828210 "
    "5105105105105100 378282246310005 371449635398431 6011111111111117 6011000990139424 "
    "36227206271667 3566002020360505 6200000000000005 4000002500003155 4000000000000002 "
    "4000000000009995 4111111111111111 4012888888881881 30569309025904 38520000023237 "
    "3530111333300000 5500000000000004 340000000000009 30000000000004 4000000000003220 "
    "4000002760003184 4000000000000077 4000000000009235".split()
)
_IS = r"(?:'s|\s(?:is|was|are|ist|lautet|est|es|era|é|è|jest|to|är|er|là|adalah))"
_UNIT = (
    r"(?!\d|[.,:/]\d|[ ]?(?:[年月日号位个次天条秒分]|%|digit|char|times|sec|min|hour|day|years"
    r"|(?:km|mm|cm|m|Hz|V|EUR|USD|元)\b))"
)
_SIGNS = (
    rf"(?:{_IS}|[ ]?[是为為はが은는이가]|[ ]?[:：=|#]|[\"'`*]{{1,2}}[ ]?[:：=])*"
    r"[ \t\"'`*：:“]*(?:\n[ \t]*)?"
)
# What a code is for, in languages that say so behind the word.
_PURPOSE = (
    "(?:de )?(?:vérification|confirmation|sécurité|verificaci[óo]n|confirmación|verificação"
    "|seguridad|segurança)|di (?:verifica|sicurezza)|weryfikacyjny|подтверждения|безопасности"
)
_ASIDE = r"(?:[ ](?:for|of|from|von|der|du|de|del)[ ][^\n:,;.?!\d]{1,30}?)?"
_IN_BRACKETS = r"(?:[ ]?[（(][^()（）\n]{1,20}[)）]|[)）])?"
_CARD_CODE = lazy_regex(
    r"(?i:(?:cvv2?|cvc2?|cvn2?|csc|安全码|code)(?:[ _-]?(?:code|number|no\.?|nummer|码|value))?)"
    rf"{_IN_BRACKETS}{_SIGNS}(?P<secret>\d{{3,4}}){_UNIT}"
)
_CODE = lazy_regex(
    r"(?i:otp|codes?|codice|código|kodu?|код|コード|번호|코드|رمز التحقق|कोड|mã xác (?:minh|nhận)"
    rf"|[码碼](?!头))(?P<purpose>[ ](?:{_PURPOSE}))?{_IN_BRACKETS}(?i:{_ASIDE}){_SIGNS}"
    rf"(?P<secret>(?:[A-Z]-)?\d{{4,8}}|\d{{3}}[ -]\d{{3}}){_UNIT}"
)
_PIN = lazy_regex(
    r"(?i:(?:pin|geheimzahl|пин(?:-код)?)(?:[-_ ]?(?:code|number|nummer|码|碼|コード|번호))?)"
    rf"(?i:{_ASIDE})(?:(?={_IS}[ ])|(?=[ ]?[:：=是为])|(?P<bare>(?=\s\d{{4}}\b))|(?=[\"'`]\s?[:=]))"
    rf"{_SIGNS}(?P<secret>\d{{4,8}})(?!-\d){_UNIT}"
)
# Of the words that mean "code", those before which the code is a secret.
_CODE_QUALIFIERS = tuple(
    "verification |verification_|one-time |one time |onetime |2fa |mfa |otp |login |sign-in "
    "|signin |security |auth |authentication |authenticator |access |sms |confirmation |unlock "
    "|activation |alarm |safe |two-factor |bestätigungs"
    "|verifizierungs|sicherheits|doğrulama |verifikasi |kode |проверочный |verificatie"
    "|verifierings|确认|確認|認証|인증|인증 |验证|驗證|校验|动态|短信|认证|सत्यापन ".split("|")
)
_CODES = "code codice código otp kod код コード 번호 코드 رمز कोड mã_xác 码 碼"
_NUMBERS = PartIndex(
    (part.replace("_", " "), pattern, kind)
    for kind, pattern, parts in (
        ("card-code", _CARD_CODE, "cvv cvc 安全码"),
        ("pin", _PIN, "pin geheimzahl пин"),
        ("one-time-code", _CODE, _CODES),
    )
    for part in parts.split()
)
_SHORTEST_CODE = 5
_ALONE = lazy_regex(r"[a-z]")
_BEFORE = 24
_SAID_FIRST = lazy_regex(
    r"""(?xi) (?<![\w.-]) (?P<secret>(?:[A-Z]-)?\d{4,8}|\d{3}[ -]\d{3}) [ ]
    (?:is|ist|est|es|é|è)[ ](?:your|the|my|ihr|dein|votre|ton|tu|su|il|o)[ ][^.\n]{0,40}?
    \b(?:code|otp|pin|passcode|código|codice)\b"""
)
_SAID_FIRST_IN_CHINESE = lazy_regex(
    r"(?<![\w.-])(?P<secret>\d{4,8})[ ]?(?:[（(]|[是为](?:您|你|我)?的?)[^\n\d]{0,8}"
    "(?:验证码|校验码|动态码|驗證碼)"
)


def find_numbers(read: ReadText) -> Iterator[Span]:
    """Yield card numbers, and numbers that are named as secret."""
    if _DIGIT.search(read.text) is None:
        return
    yield from _find_cards(read.text)
    for match, kind in _NUMBERS.find_matches(read):
        start = match.start()
        before = read.lower[max(0, start - _BEFORE) : start]
        if opens_a_door(read, start, match.start("secret")):
            continue
        if kind != "one-time-code":
            is_verb = kind == "pin" and match["bare"] is not None and _is_verb(match[0], before)
            if not _ALONE.match(before[-1:]) and not is_verb:
                yield Span(*match.span("secret"), kind)
        elif match["purpose"] or _is_named(read, start, before):
            digits = len(match["secret"].replace(" ", ""))
            is_short = digits < _SHORTEST_CODE and before.endswith("security ")
            yield Span(*match.span("secret"), "card-code" if is_short else kind)
    yield from _find_said_first(read)


_NOUN_BEFORE = lazy_regex(
    r"(?:\b(?:my|your|his|her|our|their|the|a|new|old|card|sim|bank|atm|phone|debit|credit|visa|app"
    r"|account|login|wallet|tan|user|with|by)|['’]s|[:,;(=|])[ ]$"
)


def _is_verb(words: str, before: str) -> bool:
    """Check whether "pin" before a number is a verb: "We pin 2026", "Pin 4000 posts"."""
    return not words.startswith("PIN") and _NOUN_BEFORE.search(before) is None


def _is_named(read: ReadText, start: int, before: str) -> bool:
    """Check whether other words beside the word for a code make the code a secret."""
    if read.lower.startswith(("otp", "رمز", "mã xác"), start):
        return not _ALONE.match(before[-1:])
    return before.endswith(_CODE_QUALIFIERS)


def _find_cards(text: str) -> Iterator[Span]:
    for number in _LONG_NUMBER.finditer(text):
        for match in _CARD.finditer(text, *number.span()):
            digits = re.sub(r"\D", "", match["secret"])
            if has_check_digit(digits) and digits not in _TEST_CARDS:
                yield Span(*match.span("secret"), "card-number")


def _find_said_first(read: ReadText) -> Iterator[Span]:
    """Yield codes before their name: "482913 is your code"."""
    for at in (
        *read.find_all(" is your "),
        *read.find_all(" is the "),
        *read.find_all(" ist ihr "),
    ):
        if match := _SAID_FIRST.search(read.text, max(0, at - 10), at + 60):
            yield Span(*match.span("secret"), "one-time-code")
    for at in (*read.find_all("验证码"), *read.find_all("校验码"), *read.find_all("驗證碼")):
        if match := _SAID_FIRST_IN_CHINESE.search(read.text, max(0, at - 22), at + 3):
            yield Span(*match.span("secret"), "one-time-code")

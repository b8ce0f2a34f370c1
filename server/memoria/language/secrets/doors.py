"""Codes of doors, gates and lockers: people have them remembered, and they open nothing from afar.

They are kept, as an address is. What opens an account, a card or a device is a secret, and so are
the codes of safes and alarms.
"""

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.secrets.span import ReadText

_DOOR = (
    r"(?:(?:front|back|side|main|car|garden)[ -]?)?(?:doors?|gates?|garage|shed|lockers?"
    r"|(?:bike|bicycle|cycle)(?:[ -](?:lock|shed|room))?|pad ?lock|barn|lobby|entrance|entry"
    r"|key ?pad|(?:key|lock|mail|letter) ?box|stairwell|courtyard|car ?park|parking|barrier"
    r"|building|cellar|basement|laundry(?: room)?|storage(?: unit)?|intercom|elevator|lift"
    r"|turnstile|pool|gym|luggage|suitcase)"
)
_BEFORE = lazy_regex(
    rf"\b(?:{_DOOR}(?:['’]s)?[ -](?:(?:access|entry|security|unlock|lock|key|pin)[ -])*|lock[ -])$"
)
_BEHIND = lazy_regex(
    r"(?:code|pin|number|passcode|password)s?(?:[ ](?:for|of|to|at|on)[ ]|[ ]?[(（])"
    rf"(?:[\w'’-]+[ ]){{0,4}}?{_DOOR}\b|密[码碼][锁鎖]"
)
_ELSEWHERE = lazy_regex(
    r"\b(?:screen|phone|iphone|ipad|laptop|computer|sim|card|bank|account|login|app|wi-?fi|router"
    r"|e-?mail|tablet|website|portal|server|vpn|ssh|alarm|safe)\b"
)
_CHINESE = lazy_regex(
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
    return bool(_BEFORE.search(before) or _BEHIND.match(named) or _CHINESE.search(before))

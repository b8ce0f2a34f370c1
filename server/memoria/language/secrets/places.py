"""Secrets known by their place: addresses, headers, cookies, command lines, files of programs."""

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.secrets.values import (
    PartIndex,
    ReadText,
    Span,
    is_gap,
    is_literal,
    is_mixed,
    looks_encoded,
)

_Check = Callable[[str], bool]


def _is_filled_in(value: str) -> bool:
    return not is_gap(value)


def _is_encoded(value: str) -> bool:
    return looks_encoded(value) and is_literal(value, is_quoted=False)


def _is_random(value: str) -> bool:
    return is_mixed(value) and is_literal(value, is_quoted=False)


_LONG = 24


def _is_login(value: str) -> bool:
    """Check whether a value is a name and a password in base64, or as long as a token."""
    decoded = _decode(value)
    return _is_pair(value) or (decoded is not None and len(value) >= _LONG and is_mixed(value))


def _is_pair(value: str) -> bool:
    """Check whether a value is a name and a password in base64."""
    decoded = _decode(value)
    return decoded is not None and b":" in decoded and decoded.isascii()


def _decode(value: str) -> bytes | None:
    try:
        return base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


_LONG_PART = lazy_regex(
    r"[A-Za-z0-9]{12}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE
)


def _is_key(value: str) -> bool:
    """Check whether a value is a key: names of models and versions have shorter parts."""
    return _is_random(value) and _LONG_PART.search(value) is not None


@dataclass(frozen=True, slots=True)
class _SecretPlace:
    kind: str
    parts: tuple[str, ...]
    """Beginnings of the pattern's matches in lower case."""
    pattern: re.Pattern[str]
    accepts: _Check


def _place(kind: str, parts: str, pattern: str, accepts: _Check = _is_filled_in) -> _SecretPlace:
    return _SecretPlace(
        kind, tuple(parts.split("|")), lazy_regex(f"(?xi){pattern}", re.ASCII), accepts
    )


# Both cases and a digit: a SHA-1 in hexadecimal is as long.
_AWS_KEY = r"""(?: aws(?![a-z-]{0,20}\]) | secret(?![a-z-]{0,20}\]) | aws-access-key\]
      | (?:AKIA|ASIA)[A-Z0-9]{16} ) [^\n]{0,40}?
    (?-i:(?<![A-Za-z0-9/+.]) (?=[a-z0-9/+]{0,39}[A-Z]) (?=[A-Z0-9/+]{0,39}[a-z])
    (?=[A-Za-z/+]{0,39}\d) (?P<secret>[A-Za-z0-9/+]{40}) (?![\w/+=-]|\.\w))"""
_PLACES = (
    _place("aws-secret-key", "aws|secret|akia|asia", _AWS_KEY),
    _place(
        "url-password",
        "://",
        r"""://[^\s:/@"'<>?\#\\]{0,128}:(?P<secret>[^\s/"'<>\\]{1,256})@(?=[\w\[])""",
    ),
    _place(
        "authorization",
        "auth|bearer ",
        r"""(?: authorization \\?["'`]? \s{0,4} [:=,] \s{0,4} \\?["'`]?
              (?:[a-z][\w-]{1,20}\s{1,4}(?:token=["']?)?)?
            | bearer\s{1,4} ) (?P<secret>[\w.~+/=%:-]{8,})""",
        _is_encoded,
    ),
    # As in such a header, but without its name.
    _place(
        "authorization",
        "flyv1 |ssws |geniekey |splunk |apikey |api-token |token |zoho-oauthtoken |dpop |ntlm "
        "|negotiate |oauth |klaviyo-api-key |sharedaccesssignature ",
        r"""(?<![\w-])(?:flyv1|ssws|geniekey|splunk|apikey|(?:api-)?token|zoho-oauthtoken|dpop|ntlm
              |negotiate|oauth|klaviyo-api-key|sharedaccesssignature)
            [ ](?P<secret>[\w~+/=%-][\w.~+/=%:,-]{14,}[\w~+/=%-])(?![\w.~+/=%:,-]*\()""",
        _is_key,
    ),
    _place(
        "authorization",
        "basic ",
        r"(?<![\w-])basic[ ](?P<secret>[A-Za-z0-9+/]{10,}={0,2})(?![\w+/=-])",
        _is_pair,
    ),
    _place(
        "signature",
        "sig=|sig%3d|signature=",
        r"""(?:sig|signature)(?:=|%3D) (?P<secret>[\w%+/=~-]{20,})""",
        _is_encoded,
    ),
    _place("credential", "key=", r"(?<=[?&])key=(?P<secret>[\w.~%-]{16,})", _is_random),
    # Quoted or not, Docker's is a name and a password in base64.
    _place(
        "credential",
        "auth",
        r"""auth \\?["']? \s{0,4} [:=] \s{0,4} \\?["']? (?P<secret>[A-Za-z0-9+/]{10,}={0,2})
            (?![\w+/=-])""",
        _is_login,
    ),
    _place(
        "password", "wifi:", r"wifi:(?:[a-z]{1,2}:[^;\n]{0,64};){0,4}p:(?P<secret>[^;\n]{4,64})"
    ),
    _place(
        "password",
        "login ",
        r"""login\s\S{1,64}\s(?:password|passwd)\s["'`]?(?P<secret>[!\#-&(-_a-~]{4,})(?<![.,:;?)])""",
        _is_random,
    ),
    _place(
        "password",
        "identified ",
        r"""identified\s{1,4}(?:with\s{1,4}\S{1,40}\s{1,4})?by\s{1,4}(?:password\s{1,4})?
            ["'](?P<secret>[^"'\n]{4,200})["']""",
    ),
    _place(
        "password",
        "password to |password from |passphrase to ",
        r"""(?:password|passphrase|pw|pin)[ ]
            (?:from[ ]\S{1,64}[ ])?to[ ]["'`]?(?P<secret>[!\#-&(-_a-~]{4,})(?<![.,:;?)])""",
        _is_random,
    ),
    _place(
        "password",
        " one is | one was ",
        r"""[ ]one[ ](?:is|was)[ ]["'`]?(?P<secret>[!\#-&(-_a-~]{8,})(?<![.,:;?)])""",
        _is_random,
    ),
    _place(
        "password",
        "cred|login|user",
        r"""(?:cred(?:ential)?s?|login|username|user)(?:[ ](?:for|to|of|on)[ ][^\n:,;.?!]{1,30}?)?
            (?:[ ]?[:=]|[ ]is|[ ]are)?[ ]{1,2}["'`]?[\w.@+-]{2,64}["'`]?[ ]?[/:|][ ]?["'`]?
            (?P<secret>[^\s"'`<>|/,;:][^\s"'`<>|/,;]{5,100})(?<![.?!)])""",
        _is_random,
    ),
)
_COOKIES = lazy_regex(
    r"""(?xia) cookies?\\?["'`]? [\s:=(,]{1,4} \\?["'`]?
    (?P<pairs>[\w.-]{1,64}=[^\n"'`\\]{1,4096})"""
)
# A session's by its name, or long enough not to be a setting.
_COOKIE = lazy_regex(
    r"""(?xia) (?:^|;\s?) (?:
      [\w.-]{0,40}?(?:sess|sid|auth|token|jwt|login|remember|[cx]srf)[\w.-]{0,40} = (?=[^\s;]{6})
    | [\w.-]{1,64} = (?=[^\s;,]{16}) ) (?P<secret>[^\s;,]+)"""
)
_PGPASS = lazy_regex(
    r"(?m)^[^\s:]{1,100}:(?:\d{2,5}|\*):[^\s:]{1,64}:[^\s:]{1,64}:(?P<secret>[^\s:]{4,100})(?=\s|$)"
)
_RECOVERY = lazy_regex(
    r"""(?xi) (?:(?:recovery|backup|rescue)[ -](?:codes?|keys?)|恢复码|恢复代码|备用码|备份码)
    (?:[ ](?:for|of)[ ][^\n:,;.?!]{1,40}?)? (?:[ ](?:is|are|was))? [ ]?[:：=是为]? \s{0,4}
    (?P<codes>(?:\d{4}[ ]\d{4}\s{0,3}){1,20}
      |(?:[-*\d.)]{0,4}[ ]?["'`]?\b[A-Za-z0-9]{3,}(?:-[A-Za-z0-9]{3,})*\b
        ["'`]?[ \t]*[,;，、]?\s{0,3}){1,20})"""
)
_RECOVERY_CODE = lazy_regex(
    r"\d{4} \d{4}|(?=[\w-]{0,80}\d)[A-Za-z0-9]{3,}(?:-[A-Za-z0-9]{3,})*", re.ASCII
)
_SHORTEST_CODE = 6
_INDEX = PartIndex((part, place.pattern, place) for place in _PLACES for part in place.parts)
_RECOVERY_INDEX = PartIndex(
    (part, _RECOVERY, None) for part in ("recovery", "backup", "rescue", "恢复", "备")
)


def find_in_places(read: ReadText) -> Iterator[Span]:
    """Yield secrets that are known by their place."""
    for match, place in _INDEX.find_matches(read):
        if place.accepts(match["secret"]):
            yield Span(*match.span("secret"), place.kind)
    yield from _find_cookies(read)
    yield from _find_in_pgpass(read)
    yield from _find_recovery_codes(read)


def _find_cookies(read: ReadText) -> Iterator[Span]:
    done = 0
    for at in read.find_all("cookie"):
        if at >= done and (header := _COOKIES.match(read.text, at)):
            done = header.end()
            for match in _COOKIE.finditer(header["pairs"]):
                if _is_encoded(match["secret"]):
                    offset = header.start("pairs")
                    yield Span(
                        offset + match.start("secret"), offset + match.end("secret"), "cookie"
                    )


def _find_in_pgpass(read: ReadText) -> Iterator[Span]:
    for at in (*read.find_all(":5432:"), *read.find_all(":*:")):
        begin = max(read.text.rfind("\n", max(0, at - 120), at) + 1, at - 120)
        if match := _PGPASS.match(read.text, begin):
            yield Span(*match.span("secret"), "password")


def _find_recovery_codes(read: ReadText) -> Iterator[Span]:
    done = 0
    for match, _ in _RECOVERY_INDEX.find_matches(read):
        if match.start() >= done:
            done = match.end()
            for code in _RECOVERY_CODE.finditer(match["codes"]):
                if len(code[0]) >= _SHORTEST_CODE:
                    offset = match.start("codes")
                    yield Span(offset + code.start(), offset + code.end(), "recovery-code")


_VALUE = (
    r"""(?P<quote>["'])?(?P<secret>"""
    r"""(?(quote)[^"'\n]{4,200}|[^\s"'`<>|;&()-][^\s"'`<>|;&()]{3,200}))"""
)
_LOGIN = r"""["']?[^\s:"'@/]{1,100}:(?P<secret>[^\s"'`<>|;&]{4,200})"""
_LONGEST_COMMAND = 200


def _may_be(value: str) -> bool:
    return is_literal(value, is_quoted=False)


@dataclass(frozen=True, slots=True)
class _Argument:
    """An option after which some programs take a password."""

    start: str
    """Beginning of the option in lower case."""
    pattern: re.Pattern[str]
    programs: re.Pattern[str]
    accepts: _Check


def _argument(
    start: str, option: str, value: str, programs: str, accepts: _Check = _may_be
) -> _Argument:
    return _Argument(
        start,
        lazy_regex(option + value),
        lazy_regex(rf"(?i)(?<![\w/-])(?:{programs})[\w.]*\s"),
        accepts,
    )


_ARGUMENTS = (
    _argument(" -p", r"\s-p", _VALUE, "mysql|mariadb|7z|7za|rar|unrar|sshpass"),
    _argument(" -hp", r"\s-hp", _VALUE, "rar"),
    _argument(
        " -p ",
        r"\s-p\s+",
        _VALUE,
        "(?:docker|podman|az|oc|nerdctl|buildah|skopeo|registry) login|mongo|cqlsh|psexec|xfreerdp"
        "|rdesktop|sshpass|arangosh|impala-shell|beeline|influx",
        _is_random,
    ),
    _argument(
        " -p ",
        r"\s-P\s+",
        _VALUE,
        "zip|unzip|ipmitool|mosquitto_|sqlcmd|bcp|tsql|isql|osql|snowsql",
    ),
    _argument(" -a ", r"\s-a\s+", _VALUE, "redis-cli"),
    _argument(" -a ", r"\s-a\s+", _LOGIN, "https?|httpie|xh"),
    _argument(" -u", r"\s(?:-u|-U)\s?", _LOGIN, "curl"),
    _argument(" --user", r"\s--user[ =]", _LOGIN, "curl"),
    _argument(" --proxy-user", r"\s--proxy-user[ =]", _LOGIN, "curl"),
    _argument(" -u ", r"\s-u\s+[^\s,]{1,64},", _VALUE, "lftp"),
    _argument(
        " -u", r"\s-U\s?[\"']?[^\s%\"']{1,100}%", _VALUE, "smbclient|rpcclient|net|smbget|smbmap"
    ),
    _argument(" -w ", r"\s-w\s+", _VALUE, "ldap"),
    _argument(" -t ", r"\s-t\s+", _VALUE, "doctl|doppler|vercel", _is_random),
    _argument(" /p:", r"\s/p:", _VALUE, "xfreerdp|wfreerdp|mstsc"),
    _argument(" /rp ", r"\s/[rR][pP]\s+", _VALUE, "schtasks"),
    _argument(" /user:", r"\s/user:\S{1,100}\s+", _VALUE, "net"),
    _argument("<<<", r"<<<\s?", _VALUE, r"gh auth|docker login|vault|passwd|wrangler", _is_random),
    _argument(" -b", r"\s-b\w{0,3}\s+\S{1,200}\s+\S{1,100}\s+", _VALUE, "htpasswd"),
)
_PIPED = (
    r"sudo\s+-S|(?:sudo\s+)?(?:passwd|cryptsetup)|docker\s+login|gh\s+auth|kinit"
    r"|(?:gpg|openssl|vault|su)\s"
)


@dataclass(frozen=True, slots=True)
class _Command:
    """A command whose arguments stand in a fixed order."""

    starts: tuple[str, ...]
    pattern: re.Pattern[str]
    accepts: _Check


def _command(starts: str, pattern: str, accepts: _Check = _may_be) -> _Command:
    return _Command(tuple(starts.split("|")), lazy_regex(rf"(?i:{starts}){pattern}"), accepts)


_COMMANDS = (
    _command("echo |printf ", rf"(?:-\w\s)?{_VALUE}[\"']?\s*\|\s*(?:{_PIPED})"),
    _command(
        "echo |printf ",
        r"""["']?[^\s:"']{1,64}:(?P<secret>[^\s"'|]{4,200})["']?\s*\|\s*(?:sudo\s+)?chpasswd""",
    ),
    _command("chpasswd ", r"""<<<\s?["']?[^\s:"']{1,64}:(?P<secret>[^\s"'|]{4,200})"""),
    _command("net use |net user ", rf"\S{{1,200}}\s+{_VALUE}(?=\s+/)"),
    _command(
        "htpasswd ", rf"-[a-zA-Z]{{0,4}}b[a-zA-Z]{{0,4}}\s+\S{{1,200}}\s+\S{{1,100}}\s+{_VALUE}"
    ),
    _command("wpa_passphrase ", rf"\S{{1,64}}\s+{_VALUE}"),
    _command("convertto-securestring ", rf"(?:-\w+\s){{0,2}}{_VALUE}"),
    _command("mc alias set ", rf"\S+\s+\S+\s+\S+\s+{_VALUE}"),
    _command("snmpwalk |snmpget ", rf"[^\n]{{0,100}}?-[cAX]\s+{_VALUE}", _is_random),
    _command('send "', r"(?P<secret>[^\s\"\\]{4,100})\\[rn]\"", _is_random),
    _command(" login ", r"(?P<secret>[\w.~-]{20,200})(?=\s|$)", _is_random),
)
_ARGUMENT_INDEX = PartIndex((one.start, one.pattern, one) for one in _ARGUMENTS)
_COMMAND_INDEX = PartIndex((start, one.pattern, one) for one in _COMMANDS for start in one.starts)
_COMMAND_END = lazy_regex(r"(?<!\\)\n|[|;&]")


def find_in_commands(read: ReadText) -> Iterator[Span]:
    """Yield passwords that are arguments of programs known to take passwords."""
    has_options = any(sign in read.lower for sign in (" -", " /", "<<<"))
    for match, argument in _ARGUMENT_INDEX.find_matches(read) if has_options else ():
        if argument.accepts(match["secret"]):
            begin = max(0, match.start() - _LONGEST_COMMAND)
            line = _COMMAND_END.split(read.text[begin : match.start()])[-1]
            if argument.programs.search(f"{line} "):
                yield Span(*match.span("secret"), "password")
    for match, command in _COMMAND_INDEX.find_matches(read):
        if command.accepts(match["secret"]):
            yield Span(*match.span("secret"), "password")

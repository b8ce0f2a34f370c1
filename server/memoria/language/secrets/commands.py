"""Passwords in command lines: each program has its own way of taking one."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.secrets.span import PartIndex, ReadText, Span
from memoria.language.secrets.values import is_literal, is_mixed

_VALUE = (
    r"""(?P<quote>["'])?(?P<secret>"""
    r"""(?(quote)[^"'\n]{4,200}|[^\s"'`<>|;&()-][^\s"'`<>|;&()]{3,200}))"""
)
_LOGIN = r"""["']?[^\s:"'@/]{1,100}:(?P<secret>[^\s"'`<>|;&]{4,200})"""
_LONGEST_COMMAND = 200

_Check = Callable[[str], bool]


def _may_be(value: str) -> bool:
    return is_literal(value, is_quoted=False)


def _looks_random(value: str) -> bool:
    return is_mixed(value) and _may_be(value)


@dataclass(frozen=True, slots=True)
class _Argument:
    """An option after which some programs take a password."""

    start: str
    """Its beginning in lower case."""
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
        _looks_random,
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
    _argument(" -t ", r"\s-t\s+", _VALUE, "doctl|doppler|vercel", _looks_random),
    _argument(" /p:", r"\s/p:", _VALUE, "xfreerdp|wfreerdp|mstsc"),
    _argument(" /rp ", r"\s/[rR][pP]\s+", _VALUE, "schtasks"),
    _argument(" /user:", r"\s/user:\S{1,100}\s+", _VALUE, "net"),
    _argument(
        "<<<", r"<<<\s?", _VALUE, r"gh auth|docker login|vault|passwd|wrangler", _looks_random
    ),
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
    _command("snmpwalk |snmpget ", rf"[^\n]{{0,100}}?-[cAX]\s+{_VALUE}", _looks_random),
    _command('send "', r"(?P<secret>[^\s\"\\]{4,100})\\[rn]\"", _looks_random),
    _command(" login ", r"(?P<secret>[\w.~-]{20,200})(?=\s|$)", _looks_random),
)
_ARGUMENT_INDEX = PartIndex((one.start, one.pattern, one) for one in _ARGUMENTS)
_COMMAND_INDEX = PartIndex((start, one.pattern, one) for one in _COMMANDS for start in one.starts)
_COMMAND_END = lazy_regex(r"(?<!\\)\n|[|;&]")


def find_in_commands(read: ReadText) -> Iterator[Span]:
    """Yield passwords that are arguments of programs known to take one."""
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

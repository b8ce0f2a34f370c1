"""What an error is called, whatever line, path, address or time it tells beside."""

import re

from memoria.language.calls.output import list_lines

_MOST_KEYS = 5
_LONGEST_KEY = 160
_LEAST_CHARS = 4
_CODE = "exit code"
_NAMED = re.compile(
    r"(?<![\w.])(?:[A-Za-z_][\w.]*(?:Error|Exception|Fault|Interrupt|Failure|Required|Expired"
    r"|NotFound|DoesNotExist)\b(?!\(s\))"
    r"|error\[\w+\]|error:? [A-Z]{1,4}\d+|(?<![A-Za-z])E[A-Z]{3,}[A-Z0-9]*(?![a-z])"
    r"|ERR_[A-Z_]+|SQLSTATE|panicked at|Segmentation fault|Bus error)"
)
_MARKED = re.compile(
    r"(?:^|[\s\[(])(?:fatal|error|err|panic|critical|fehler)(?:\s+\w+)?[:!\]]"
    r"|^E\s{2,}\S|npm ERR!|\bERR!|^\s*(?:×|✗|✖|●)\s|^\*\* \(|\*\*\* \[|^FAILED?\b"
    r"|致命错误|错误[:：]",
    re.IGNORECASE,
)
_WORDED = re.compile(
    r"\b(?:fail(?:ed|ure|s)?|cannot|can't|can not|could(?: no|n')t|unable|denied|not found|no such"
    r"|refused|invalid|unexpected|missing|undefined|unknown|conflicts?|locked|timed out|timeout"
    r"|already in use|already exists|not (?:allowed|permitted|supported|available|installed"
    r"|recognized|defined|set|exist)|does(?:n't| not) exist|unsupported|unresolved|killed"
    r"|out of memory|overflow|exceed(?:s|ed)|violat\w+|mismatch|incompatible|required|must\b"
    r"|forbidden|unauthorized|expired|corrupt\w*|abort(?:ed|ing)?|deadlock|exhausted)\b"
    r"|失败|找不到|无法|不存在|拒绝|不支持|超时|冲突|未定义|没有权限",
    re.IGNORECASE,
)
_EMPTY_TOLD = re.compile(
    r"^\W*(?:exit(?:ed)?\b.*|traceback \(most recent call last\):?|error:?|failed\W*"
    r"|\d+ errors?\b.*|found \d+ errors?.*|\W*at\s.*|\d+ failed.*|\d+ tests?,.*|errors?)\W*$"
    r"|npm ERR! (?:A complete log|errno\b|syscall\b|path\b)"
    r"|^\s*File \"|^\s+at\s|^make(?:\[\d+\])?: "
    r"|a complete log of this run|^\s*\^|this error originates from a subprocess|ELIFECYCLE"
    r"|subprocess-exited-with-error|^\s*note: ",
    re.IGNORECASE,
)
_STAMP = re.compile(
    r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b"
)
_URL = re.compile(r"<?\b[a-z][a-z0-9+.-]*://[^\s>'\")\]]+>?")
_PATH = re.compile(
    r"(?<![\w])(?:[A-Za-z]:)?(?:~|\.{1,2})?(?:[/\\][\w.@+~%#=-]+)+[/\\]?(?::\d+(?::\d+)?)?"
    r"|(?<![\w/])(?:[\w.@+-]+/)+[\w.@+-]*\.\w+(?::\d+(?::\d+)?|\(\d+,\d+\))?"
    r"|(?<![\w/.])[\w-]+\.(?:py|js|ts|tsx|jsx|rs|go|rb|java|c|h|cc|cpp|cs|php|ex|exs|kt|swift|vue)"
    r"(?::\d+(?::\d+)?|\(\d+,\d+\))"
)
_HEX = re.compile(r"\b0x[0-9a-fA-F]+\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b")
_NUMBER = re.compile(
    r"(?<![A-Za-z_\d#])[-+]?\d+(?:[.,:]\d+)*(?:\s?(?:ms|s|[kKMGT]i?B|bytes|%))?(?![A-Za-z_\d])"
)
_GUTTER = re.compile(
    r"^[\s|>│┃╷╵×✗✖●*•-]+|^(?:\[[\w:. -]+\]\s*)+|^E\s{2,}|^(?:npm )?ERR!\s*(?:code\s)?"
)
_BLANKS = re.compile(r"\s+")
_LAST_LINES = 15
_FAILED_RUN = re.compile(
    r"\b[1-9]\d* (?:failed|failures?|errors?)\b|^FAILED\b|^FAIL\b|BUILD FAILED|npm ERR!"
    r"|Traceback \(most recent call last\)|^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception): "
    r"|^error(?:\[\w+\])?: |^fatal: |^E {2,}\S|panicked at|command not found|make: \*\*\*"
    r"|^\*\* \(|No such file or directory$|ELIFECYCLE|: error(?: [A-Z]+\d+)?: |could not compile"
)
_ENDS = " \t.,;:…|>-"


def error_keys(output: str) -> tuple[str, ...]:
    """Return the stable parts of an output's error lines, most telling first.

    The same function reads what a person pastes: a text without any sign of an error is taken
    for what an error says.
    """
    lines = list_lines(output)
    rated = [(rate, -i, line) for i, line in enumerate(lines) if (rate := _rate_line(line))]
    if not rated:
        rated = [(1, -i, line) for i, line in enumerate(lines) if len(lines) <= _MOST_KEYS]
    # The last line of a traceback names the error; of equal lines the last counts first.
    ordered = sorted(rated, key=lambda one: (-one[0], one[1]))
    keys = dict.fromkeys(stable_part(line) for _, _, line in ordered)
    return tuple(key for key in keys if len(key) >= _LEAST_CHARS and key != _CODE)[:_MOST_KEYS]


def list_error_lines(output: str) -> list[str]:
    """List the lines of an output that tell of an error; of a short one without any all."""
    lines = list_lines(output)
    return [line for line in lines if _rate_line(line)] or lines[:_MOST_KEYS]


def telling_line(output: str) -> str:
    """Return the line of an output that names the error best; empty where none does."""
    rated = [(_rate_line(line), i, line) for i, line in enumerate(list_lines(output))]
    rate, _, line = max(rated, key=lambda one: one[:2], default=(0, 0, ""))
    return line.strip() if rate else ""


def stable_part(line: str) -> str:
    """Return a line without what differs from time to time, in small letters.

    >>> stable_part("src/db.ts:11:3 - Error: listen EADDRINUSE: address already in use :::3000")
    'error: listen eaddrinuse: address already in use'
    """
    told = line[:2_000]
    for pattern, sign in ((_STAMP, "#"), (_URL, "…"), (_PATH, "…"), (_HEX, "#"), (_NUMBER, "#")):
        told = pattern.sub(sign, told)
    before = None
    while before != told:  # a mark may stand behind another
        before = told
        told = _GUTTER.sub("", told).strip(_ENDS + "#")
    told = _BLANKS.sub(" ", told).casefold()
    told = re.sub(r"[:：]*#(?:[\s:x×/,-]*#)*", "#", told)
    return told[:_LONGEST_KEY].rstrip(_ENDS)


def _rate_line(line: str) -> int:
    """Rate how telling a line is of an error: 0 for not at all."""
    if _EMPTY_TOLD.search(line):
        return 0
    is_worded = _WORDED.search(line) is not None
    if _NAMED.search(line):
        return 4 if is_worded or ":" in line else 3
    if _MARKED.search(line):
        return 3 if is_worded else 2
    return 1 if is_worded else 0


def tells_failure(output: str) -> bool:
    """Check whether an output shows a failure where no exit code does, as behind a pipe."""
    lines = list_lines(output)[-_LAST_LINES:]
    return any(_FAILED_RUN.search(line) for line in lines)

"""Former verbs and options: they go on working, and a sentence says what to type now.

The sentence is on standard error, so that whatever reads the answer is not disturbed.
"""

import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

_Words = list[str]


class FormerVerb(NamedTuple):
    """A command name that was renamed."""

    now: str
    """Text on what to type instead, for the message and the table of the guide."""
    rename: Callable[[_Words], _Words]
    """Function that turns the words behind the former name into today's command line."""


class FormerOption(NamedTuple):
    """An option that was renamed."""

    now: str
    """Text on what to type instead."""
    is_renamed: bool = True
    """True if the present option is to be put in its place; the command still knows others."""


def _put_before(*verb: str) -> Callable[[_Words], _Words]:
    return lambda rest: [*verb, *rest]


def _rename_audit(rest: _Words) -> _Words:
    """Rewrite `audit`: with an id as `show`, without an id as `list forgotten`."""
    return ["show", *rest] if _split(rest)[0] else ["list", "forgotten", *rest]


def _rename_graph(rest: _Words) -> _Words:
    """Rewrite `graph`: as `revise` to join or part two names, else as `show`."""
    words, options = _split(rest)
    for option, action in (("--same", "same"), ("--apart", "apart")):
        if other := options.get(option):
            as_json = ["--json"] if "--json" in rest else []
            return ["revise", " ".join(words), action, other, *as_json]
    return ["show", *rest]


FORMER_VERBS = {
    "history": FormerVerb("`memoria show ID --history`", _put_before("show", "--history")),
    "sessions": FormerVerb("`memoria list sessions`", _put_before("list", "sessions")),
    "scratchpad": FormerVerb("`memoria list tasks`", _put_before("list", "tasks")),
    "audit": FormerVerb("`memoria list forgotten` or `memoria show ID`", _rename_audit),
    "graph": FormerVerb("`memoria show NAME` or `memoria revise NAME same NAME`", _rename_graph),
    "queue": FormerVerb("`memoria model queue`", _put_before("model", "queue")),
    "schedule": FormerVerb("`memoria nightly schedule`", _put_before("nightly", "schedule")),
    "nightly show": FormerVerb("`memoria show ID`", _put_before("show")),
    "nightly undo": FormerVerb("`memoria undo ID`", _put_before("undo", "--yes")),
}
"""Renamed commands, by their former names."""
FORMER_OPTIONS = {
    "search": {"--types": FormerOption("--type"), "--queries": FormerOption("--query")},
    "traces": {"--queries": FormerOption("--query")},
    "list": {"--types": FormerOption("--type")},
    "forget": {
        "--types": FormerOption("--type"),
        "--undo": FormerOption("memoria undo ID", is_renamed=False),
    },
    "remember": {"--valid-from": FormerOption("--since")},
    "model queue run": {"--until-empty": FormerOption("--wait")},
    "nightly schedule install": {"--print": FormerOption("--dry-run")},
}
"""Renamed options, by the present name of their command."""


def rename_former(line: Sequence[str], *, tells: bool = True) -> _Words:
    """Rewrite a command line with present names.

    Args:
        line: it, from the verb on.
        tells: whether a sentence on standard error says what was renamed.
    """
    said = list[str]()
    words = _rename_options(_rename_verb(list(line), said), said)
    if tells:
        sys.stderr.writelines(f"note: {one}\n" for one in said)
    return words


def _rename_verb(line: _Words, said: list[str]) -> _Words:
    for former, verb in FORMER_VERBS.items():
        typed = former.split()
        if line[: len(typed)] == typed:
            said.append(f"`memoria {former}` is {verb.now} now.")
            return verb.rename(line[len(typed) :])
    return line


def _rename_options(line: _Words, said: list[str]) -> _Words:
    options = next(
        (own for name, own in FORMER_OPTIONS.items() if line[: len(name.split())] == name.split()),
        {},
    )
    end = line.index("--") if "--" in line else len(line)
    renamed = [_rename_option(word, options, said) for word in line[:end]]
    return [*renamed, *line[end:]]


def _rename_option(word: str, options: dict[str, FormerOption], said: list[str]) -> str:
    former, sign, value = word.partition("=")
    option = options.get(former)
    if option is None:
        return word
    said.append(f"`{former}` is `{option.now}` now.")
    return f"{option.now}{sign}{value}" if option.is_renamed else word


_WITH_VALUE = frozenset({"--same", "--apart", "--hops", "--limit"})
"""Options of renamed commands that take a value."""


def _split(rest: _Words) -> tuple[_Words, dict[str, str]]:
    """Split words into arguments and options that have a value."""
    words, options = list[str](), dict[str, str]()
    left = iter(rest)
    for word in left:
        name, sign, value = word.partition("=")
        if name in _WITH_VALUE:
            options[name] = value if sign else next(left, "")
        elif word == "--":
            words += left
        elif not word.startswith("-"):
            words.append(word)
    return words, options


_FORGET = "memoria forget ID, for good; memoria revise ID archive, to have it back when you like"
_CORRECT = 'memoria revise ID correct "…"'
_REMEMBER, _SEARCH, _SHOW = 'memoria remember "…"', 'memoria search "…"', "memoria show ID"
_PROJECTS, _CONNECT = "memoria workspace list", "memoria connect"
_HELD = "memoria stats, memoria doctor or memoria connect --status"
SYNONYMS = {
    **dict.fromkeys(("delete", "remove", "rm", "erase"), _FORGET),
    **dict.fromkeys(("edit", "update", "change", "correct"), _CORRECT),
    **dict.fromkeys(("add", "save", "store", "note"), _REMEMBER),
    **dict.fromkeys(("find", "ask", "query", "recall"), _SEARCH),
    **dict.fromkeys(("get", "view", "cat"), _SHOW),
    **dict.fromkeys(("projects", "project", "workspaces"), _PROJECTS),
    **dict.fromkeys(("install", "setup", "init"), _CONNECT),
    **dict.fromkeys(("list projects", "list workspaces"), _PROJECTS),
    "ls": "memoria list",
    "uninstall": "memoria disconnect",
    "settings": "memoria config",
    "status": _HELD,
    "version": "memoria --version",
    "config get": "memoria config --all",
    "config show": "memoria config",
    "private status": "memoria private",
}
"""Advice by the words that other programs use; none of the keys may be a command of ours."""


def name_command(line: Sequence[str]) -> str | None:
    """Return advice for a line in the words of other programs; None for any other line."""
    for words in (" ".join(line[:2]), " ".join(line[:1])):
        if words in SYNONYMS:
            return f"There is no `memoria {words}`. Type: {SYNONYMS[words]}"
    return None

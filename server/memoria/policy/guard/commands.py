"""Commands that failed here, where another form of them worked afterwards.

What helped is the difference between the two: a variable, a flag, another program, another value.
A word holds for commands that lack what helped. It falls where such a command has worked since, and
where what helped or what the error named was spoken of or changed since: then somebody may have
mended the cause, and nothing is said.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from memoria.bare.guard import Shape, fits_command, is_aside, parts_of
from memoria.bare.shell_programs import SCRIPT_RUNNERS
from memoria.language.calls.outcome import Outcome
from memoria.policy.guard.lifting import Lifting, may_lift
from memoria.policy.guard.steps import GuardStep
from memoria.policy.guard.telling import name_day, name_error, quote_code

_REACH = 8
"""Number of calls behind a failure within which something else worked."""
_PLAIN_FLAGS = frozenset(
    "-v -vv -vvv -q -qq -s -x --verbose --quiet --nocapture --silent --tb --no-color --trace"
    " --debug --stacktrace -l -la -a --reporter --durations -k --bail --color --json -h --help"
    " --list --version -m --message".split()
)
"""Flags that only change what is told, or what is selected."""
_LOOKERS = frozenset(
    "ls cat head tail grep rg find cd echo which type file stat pwd wc env printenv man less tree"
    " ps lsof ss netstat id whoami ping dig nslookup date sleep kill pkill diff"
    " test".split()
)
_NAMES = re.compile(r"(?<![\w/-])[A-Za-z]\w*(?:[_-]\w+)+(?![\w/-])")
_ERROR_LINE = re.compile(r"\b(?:error|fail\w*)\b", re.IGNORECASE)
_PIECE = re.compile(r"[\w@]+")
_MOST_NAMES = 30
_PATH_LIKE = re.compile(r"^\.{0,2}/|\.[A-Za-z]\w{0,5}(?:$|:)|^\d+$")
_TASK_RUNNERS = frozenset("make just task rake gulp grunt docker".split())
"""Programs whose subcommands are programs of their own."""
_LEAST_SHARED = 0.3
_LEAST_VALUE = 3
"""Length above which a flag's value tells enough without the subcommand."""

Drawn = tuple[dict[str, object], tuple[str, ...]]


class _Since:
    """Steps that may speak against a word: commands that worked, and possible cures."""

    def __init__(self, steps: Sequence[GuardStep]) -> None:
        self._worked: dict[str, list[tuple[int, Shape]]] = {}
        self._changes: list[tuple[int, GuardStep]] = []
        for k, step in enumerate(steps):
            for shape in step.worked:
                self._worked.setdefault(_first_word(shape.program), []).append((k, shape))
            if may_lift(step):
                self._changes.append((k, step))

    def list_worked(self, program: str) -> list[tuple[int, Shape]]:
        """List the commands of a program that worked, each with the number of its step."""
        return self._worked.get(_first_word(program), [])

    def list_changes(self, j: int) -> Iterator[GuardStep]:
        """Yield what was said or changed behind a step."""
        return (step for k, step in reversed(self._changes) if k > j)


def _first_word(program: str) -> str:
    return program.partition(" ")[0]


def draw_commands(steps: Sequence[GuardStep]) -> Iterator[Drawn]:
    """Yield words on commands, those of the newest failures first."""
    since = _Since(steps)
    for i in range(len(steps) - 1, -1, -1):
        failed = steps[i].failed
        if failed is None or failed.program in _LOOKERS:
            continue
        found = _find_cure(steps, i, failed)
        if found is None:
            continue
        j, cured = found
        match = _describe(steps, (i, j), failed, cured)
        if match is None:
            continue
        lifting = Lifting(steps[i], match)
        if any(map(lifting.is_lifted, since.list_changes(j))):
            continue
        match = _narrow(since.list_worked(failed.program), i, failed, match)
        if match is None:
            continue
        line = _tell(steps[i], failed, steps[j])
        yield {**match, "line": line}, (steps[i].id, steps[j].id)


def _find_cure(steps: Sequence[GuardStep], i: int, failed: Shape) -> tuple[int, Shape] | None:
    """Find the command most alike that worked behind a failure; None where it was mended."""
    calls, best, found, is_edited = 0, _LEAST_SHARED, None, False
    for j in range(i + 1, len(steps)):
        step = steps[j]
        if step.said:
            continue
        if step.session != steps[i].session or calls >= _REACH:
            break
        calls += 1
        is_edited = is_edited or (bool(step.edits) and step.outcome is not Outcome.FAILED)
        for shape in step.worked:
            if _is_same(failed, shape):
                return found
            rate = _rate_alike(failed, shape)
            if is_edited and not _adds_alone(failed, shape):
                continue  # the edit may be what helped
            if rate > best:
                best, found = rate, (j, shape)
    return found


def _is_same(one: Shape, other: Shape) -> bool:
    return (one.key, one.env, one.runner, one.folder, one.tokens) == (
        *(other.key, other.env, other.runner, other.folder, other.tokens),
    )


def _adds_alone(failed: Shape, other: Shape) -> bool:
    """Check whether a command is another one with something added that changes how it runs."""
    added = (other.flags - failed.flags - _PLAIN_FLAGS) | (other.env - failed.env)
    return bool(added) and failed.env <= other.env and {*failed.tokens} <= {*other.tokens}


def _rate_alike(failed: Shape, other: Shape) -> float:
    """Return how much two commands have in common, 0 for other intents."""
    if other.program in _LOOKERS or (is_aside(other) and not is_aside(failed)):
        return 0.0
    if other.program == "git" != failed.program:
        return 0.0  # what undoes a change is no other form of a test
    ours, theirs = _pieces(failed), _pieces(other)
    shared = ours & theirs
    if failed.head == other.head:
        named = {*_PIECE.findall(failed.head)}
        ours, theirs, shared = ours - named, theirs - named, shared - named
    rate = len(shared) / max(len(ours), 1)
    if failed.key == other.key:
        return rate + 0.5 if shared or not ours or not theirs else _LEAST_SHARED
    return rate if any(len(one) > 2 for one in shared) else 0.0  # noqa: PLR2004


def _pieces(shape: Shape) -> set[str]:
    words = (one for one in shape.tokens if not one.startswith("-"))
    return {piece for one in words for piece in _PIECE.findall(one) if not piece.isdigit()} - {
        *("run", "exec", "bin")
    }


def _describe(
    steps: Sequence[GuardStep], found: tuple[int, int], failed: Shape, cured: Shape
) -> dict[str, object] | None:
    """Describe the commands that would fail alike; None where nothing tells them apart."""
    flags = sorted(cured.flags - failed.flags - _PLAIN_FLAGS)
    env = sorted(cured.env - failed.env)
    match: dict[str, object] = {
        "kind": "command",
        "program": failed.program,
        "key": failed.key,
        "folders": _list_folders(steps[found[0]], failed),
    }
    if env:
        if failed.is_part or _is_always(steps, failed, {*env}):
            del match["key"]
            match["folders"] = [failed.folder]
        return {**match, "env": env, "flags": flags}
    if cured.head != failed.head or cured.runner != failed.runner:
        return _describe_program({**match, "flags": flags}, failed, cured)
    if failed.key != cured.key:
        return match
    if flags:
        return {**match, "flags": flags, "bad": _list_replaced(failed, cured)}
    return _describe_values(match, failed, cured)


def _describe_program(match: dict[str, object], failed: Shape, cured: Shape) -> dict[str, object]:
    """Describe the commands that another program, or something around them, would do."""
    match["head"] = cured.head if cured.head != failed.head else ""
    match["runner"] = cured.runner if cured.runner != failed.runner else ""
    if cured.head.endswith(f"/{failed.head}"):
        del match["key"]
    elif failed.kind != failed.program:
        match["like"] = failed.kind
        del match["key"], match["program"]
    return match


def _describe_values(
    match: dict[str, object], failed: Shape, cured: Shape
) -> dict[str, object] | None:
    """Describe the commands with a value for which another one worked; None for no such value."""
    good = [one for one in cured.tokens if one not in failed.tokens and not one.startswith("-")]
    bad = [one for one in failed.tokens if one not in cured.tokens and not one.startswith("-")]
    replaced = _list_replaced(failed, cured)
    values = {**match, "bad": bad, "good": good}
    if replaced and all(len(one) > _LEAST_VALUE and not one.isdigit() for one in bad):
        del values["key"]
    if len(bad) == len(good) == 1 and bad == replaced:  # such as a port
        return values
    good = [one for one in good if not _PATH_LIKE.search(one)]
    if not bad or not good or any(_PATH_LIKE.search(one) for one in bad):
        return None
    return {**values, "good": good}


def _list_replaced(failed: Shape, cured: Shape) -> list[str]:
    """List the values of flags for which the command that worked had others."""
    others = dict(pairwise(cured.tokens))
    return [
        value
        for flag, value in pairwise(failed.tokens)
        if flag.startswith("-") and not value.startswith("-") and others.get(flag, value) != value
        if not _PATH_LIKE.search(value) or value.isdigit()
    ]


def _is_always(steps: Sequence[GuardStep], failed: Shape, env: set[str]) -> bool:
    """Check whether whatever a program does has worked with these variables alone."""
    program = failed.program
    if program in SCRIPT_RUNNERS or program in _TASK_RUNNERS:
        return False
    worked = [one for step in steps for one in step.worked if one.program == program]
    worked = [one for one in worked if not is_aside(one)]
    helped = {one.text for one in worked if env & one.env}
    return len(helped) > 1 and all(env & one.env for one in worked if one.key != failed.key)


def _list_folders(step: GuardStep, failed: Shape) -> list[str]:
    """List the parts of the project for which the failure tells: also those that it names."""
    folders = [failed.folder]
    if failed.is_part:
        folders.append("")
    if not failed.folder:
        lines = [one for one in step.output.splitlines() if _ERROR_LINE.search(one)]
        folders += sorted({one for line in lines for one in _NAMES.findall(line)})[:_MOST_NAMES]
    return folders


def _narrow(
    worked: Sequence[tuple[int, Shape]], i: int, failed: Shape, match: dict[str, object]
) -> dict[str, object] | None:
    """Return what a word holds for by what has worked; None where it holds no longer.

    Where others of the same kind have worked without what helped, it holds for what the failure
    was about alone. Where that has worked since, it does not hold.
    """
    about, others = parts_of(failed), set[str]()
    for k, shape in worked:
        if fits_command(match, shape):
            if k > i and _is_about(parts_of(shape), about):
                return None
            others.add(shape.text)
    if not others:
        return match
    narrowed = {**match, "shared": sorted(about), "not": sorted(others)[:_MOST_NAMES]}
    return narrowed if about else None


def _is_about(one: set[str], other: set[str]) -> bool:
    """Check whether two commands work on the same, as far as they name anything."""
    if not one or not other:
        return True
    files, others = ({path for path in paths if "/" in path} for paths in (one, other))
    is_apart = bool(files and others and not files & others)  # if in the same folder
    return bool(one & other) and not is_apart


def _tell(step: GuardStep, failed: Shape, later: GuardStep) -> str:
    ran = quote_code(failed.text, 80)
    return (
        f"{ran} failed here on {name_day(step.at)}{name_error(step.errors)}; "
        f"{quote_code(later.line)} worked afterwards [{later.id}]"
    )

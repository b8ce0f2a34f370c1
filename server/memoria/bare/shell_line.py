"""What a shell line runs: its commands, without what only surrounds them.

A line is taken apart as far as its words go; nothing is expanded or run. What cannot be read (an
open quote) gives the words up to there.
"""

from memoria.bare.shell_programs import (
    DEPTHS,
    FEEDERS,
    FOLDER_FLAGS,
    LOOPS,
    MANAGERS,
    NO_SUBCOMMANDS,
    PLACE_FLAGS,
    RUNNERS,
    SCRIPT_RUNNERS,
    SHELLS,
    SILENT_WRAPPERS,
    TRIVIAL,
    VALUE_FLAGS,
)
from memoria.bare.shell_words import SimpleCommand, split_line

_LONGEST_KEY = 200
_MOST_DEPTH = 3
"""Shells within shells that are opened: `bash -c 'sh -c "…"'`."""
_INTERPRETERS = frozenset("python pypy node ruby php perl deno bun tsx ts-node Rscript lua".split())
_VERSIONED = frozenset("python pip node ruby php perl gcc clang java psql go".split())
_VERSION = "0123456789."


class Command:
    """A command of a shell line."""

    __slots__ = (
        "arguments",
        "environment",
        "flags",
        "folder",
        "is_decisive",
        "is_masked",
        "program",
        "runner",
        "subcommands",
        "targets",
        "text",
    )

    def __init__(self, program: str, folder: str, text: str) -> None:
        self.program = program
        """Name without its folder and version: `python` of `.venv/bin/python3.12`."""
        self.folder = folder
        """Where it runs, as the line says: behind `cd`, `-C`, `--prefix` and the like; or empty."""
        self.text = text
        """Its words as they stand, one blank between, without redirections."""
        self.subcommands: tuple[str, ...] = ()
        self.flags: tuple[str, ...] = ()
        self.arguments: tuple[str, ...] = ()
        self.environment: tuple[str, ...] = ()
        """Assignments in front of it."""
        self.runner = ""
        """What runs it in an environment, such as `sudo` or `uv run`; or empty."""
        self.targets: tuple[str, ...] = ()
        """Files into which its output is written."""
        self.is_decisive = True
        """True where the line's exit code is that of this command, if it failed."""
        self.is_masked = False
        """True where the line's exit code says nothing of it, as before a pipe or `|| true`."""

    @property
    def key(self) -> str:
        """The part that two runs of the same command share: `pnpm test`, `docker compose up`."""
        return " ".join((self.program, *self.subcommands))[:_LONGEST_KEY]

    def exact_key(self, root: str = "") -> str:
        """Return the whole command without what only surrounds it.

        Args:
            root: the folder of the project, which goes without saying.
        """
        place = name_place(self.folder, root)
        told = (f"[{place}]" if place else "", *sorted(self.environment), self.runner, self.text)
        return " ".join(part for part in told if part)[:_LONGEST_KEY]


def name_place(folder: str, root: str) -> str:
    """Return a folder as seen from the project's; empty for the project's own."""
    home = root.rstrip("/")
    if home and (folder.rstrip("/") == home or folder.startswith(f"{home}/")):
        folder = folder[len(home) :]
        return folder.strip("/")
    return folder.removeprefix("./").rstrip("/").removesuffix("/.") if folder != "." else ""


def read_commands(text: str) -> tuple[Command, ...]:
    """List the commands of a shell line in order, without those that only surround others."""
    found = _read_line(text, "", 0)
    telling = [one for one in found if one.program not in TRIVIAL]
    return tuple(telling or found)


def read_command(text: str) -> Command | None:
    """Return the command that a shell line is for: the last that is told; None for no command."""
    commands = read_commands(text)
    return commands[-1] if commands else None


def command_key(text: str) -> str:
    """Return what two runs of the same command share; empty for no command."""
    command = read_command(text)
    return "" if command is None else command.key


def exact_key(text: str, root: str = "") -> str:
    """Return the whole command of a line, without what only surrounds it."""
    command = read_command(text)
    return "" if command is None else command.exact_key(root)


def _read_line(text: str, folder: str, depth: int) -> list[Command]:
    simple = split_line(text)
    found: list[Command] = []
    for i, one in enumerate(simple):
        if one.connector == "|" and not (i and _is_feeder(simple[i - 1])):
            continue
        inner = _read_simple(one, folder, depth)
        last = inner[-1] if inner else None
        if last is not None and last.program in {"cd", "pushd"} and last.arguments:
            folder = _join_folder(folder, last.arguments[0])
        follower = simple[i + 1] if i + 1 < len(simple) else None
        for command in inner:
            _mark_exit(command, simple[i + 1 :], follower)
        found += inner
    return found


def _mark_exit(
    command: Command, later: list[SimpleCommand], follower: SimpleCommand | None
) -> None:
    """Say what the exit code of a line tells about one of its commands."""
    if follower is None:
        return
    rest = [one for one in later if one.connector != "|"]
    command.is_masked = command.is_masked or follower.connector in {"|", "&", "||"}
    if rest:
        command.is_decisive = all(
            one.connector == "&&" and one.words[:1] and one.words[0] in TRIVIAL for one in rest
        )
        command.is_masked = command.is_masked or any(one.connector != "&&" for one in rest)


def _is_feeder(one: SimpleCommand) -> bool:
    return bool(one.words) and one.words[0] in FEEDERS


def _join_folder(folder: str, to: str) -> str:
    if to.startswith(("/", "~", "$")) or not folder:
        return to
    parts = folder.rstrip("/").split("/")
    for part in to.split("/"):
        if part == ".." and parts and parts[-1] not in {"", ".."}:
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


def _read_simple(one: SimpleCommand, folder: str, depth: int) -> list[Command]:
    """Return the command of some words; several where they are a shell's own line."""
    words = list(one.words)
    environment: list[str] = []
    runners: list[str] = []
    while words:
        if _is_assignment(words[0]):
            environment.append(words.pop(0))
            continue
        taken = _take_wrapper(words)
        if taken is None:
            break
        if taken:
            runners.append(taken)
    name = _name_program(words[0]) if words else ""
    if not name or name in LOOPS:
        return []
    if name in SHELLS and depth < _MOST_DEPTH:
        script = _find_script(words)
        if script is not None:
            return _read_line(script, folder, depth + 1)
    command = Command(name, folder, " ".join(" ".join(words).split()))
    command.environment, command.runner = tuple(environment), " ".join(runners)
    command.targets = one.targets
    _take_apart(command, words)
    return [command]


def _is_assignment(word: str) -> bool:
    name, sign, _ = word.partition("=")
    return bool(sign) and name.removesuffix("+").isidentifier()


def _is_subcommand(word: str) -> bool:
    """Check whether a word may name what a program does: no path, no number, nothing quoted."""
    rest = word.replace("-", "").replace(":", "").replace("_", "")
    is_begun = word[:1] == ":" or (word[:1].isascii() and word[:1].isalpha())
    return is_begun and (rest.isalnum() or not rest)


def _find_script(words: list[str]) -> str | None:
    """Return the line in `bash -lc LINE`; None where the shell runs a file."""
    for i, word in enumerate(words[1:], 1):
        if not word.startswith("-"):
            return None
        if word.endswith("c") and not word.startswith("--") and i + 1 < len(words):
            return words[i + 1]
    return None


def _take_wrapper(words: list[str]) -> str | None:
    """Cut a wrapper off the words and return it: empty for a silent one, None for no wrapper."""
    name = _name_program(words[0])
    if name in SILENT_WRAPPERS and len(words) > 1 + SILENT_WRAPPERS[name]:
        del words[0]
        _cut_flags(words, name)
        del words[: SILENT_WRAPPERS[name]]
        return ""
    for length in (3, 2, 1):
        runner = " ".join((name, *words[1:length]))
        if len(words) > length and runner in RUNNERS:
            rest = words[length:]
            _cut_flags(rest, name)
            if not rest:
                return None
            words[:] = rest
            return "" if runner == "env" else runner
    return None


def _cut_flags(words: list[str], program: str) -> None:
    """Cut the flags in front, with their values, and a `--` behind them."""
    values = VALUE_FLAGS.get(program, "").split()
    while words and words[0].startswith("-"):
        flag = words.pop(0)
        if flag == "--":
            return
        if flag in values and words:
            if flag in {"-c", "--command"} and program == "nix":
                return
            del words[0]


def _name_program(word: str) -> str:
    name = word.replace("\\", "/").rstrip("/").rpartition("/")[2]
    for ending in (".exe", ".cmd", ".bat"):
        name = name.removesuffix(ending)
    name = name or word
    plain = name.rstrip(_VERSION)
    if plain in _VERSIONED:
        return plain
    return {"docker-compose": "docker compose", "gradlew": "gradle", "mvnw": "mvn"}.get(name, name)


def _take_apart(command: Command, words: list[str]) -> None:
    rest = words[1:]
    if command.program.rstrip(_VERSION) in _INTERPRETERS or command.program in SHELLS:
        rest = _name_script(command, rest)
    elif command.program == "docker compose":
        command.program, rest = "docker", ["compose", *rest]
    subcommands: list[str] = []
    flags: list[str] = []
    arguments: list[str] = []
    values = {*VALUE_FLAGS[""].split(), *VALUE_FLAGS.get(command.program, "").split()}
    is_open = command.program not in NO_SUBCOMMANDS
    i = 0
    while i < len(rest):
        word = rest[i]
        i += 1
        if word.startswith("-") and len(word) > 1:
            flags.append(word)
            name, _, value = word.partition("=")
            if is_open and word in values and i < len(rest):
                value = rest[i]
                i += 1
            if (
                name in PLACE_FLAGS
                and value
                and (command.program in MANAGERS or name in FOLDER_FLAGS)
            ):
                command.folder = _join_folder(command.folder, value)
        elif is_open and word.startswith("+"):
            flags.append(word)
        elif is_open and _is_subcommand(word):
            subcommands.append(word)
            is_open = len(subcommands) < _depth_of(command.program, subcommands)
        else:
            is_open = False
            arguments.append(word)
    if command.program == "yarn" and subcommands[:1] == ["workspace"] and len(subcommands) > 1:
        command.folder = _join_folder(command.folder, subcommands[1])
    command.subcommands = _plain_subcommands(command.program, subcommands, arguments)
    command.flags, command.arguments = tuple(flags), tuple(arguments)


def _name_script(command: Command, rest: list[str]) -> list[str]:
    """Name an interpreter's command by what it runs; return the words behind that."""
    words = list(rest)
    _cut_flags_before_module(words, command.program)
    if len(words) > 1 and words[0] == "-m":
        command.program = _name_program(words[1])
        return words[2:]
    if words and not words[0].startswith("-"):
        command.program = f"{command.program} {_name_program(words[0])}"
        return words[1:]
    return words


def _cut_flags_before_module(words: list[str], program: str) -> None:
    values = VALUE_FLAGS.get(program, "").split()
    while words and words[0].startswith("-") and words[0] not in {"-m", "-c", "-e", "-"}:
        flag = words.pop(0)
        if flag in values and words:
            del words[0]


def _depth_of(program: str, subcommands: list[str]) -> int:
    if program in SCRIPT_RUNNERS:
        return {"run": 2, "run-script": 2, "workspace": 3}.get(subcommands[0], 1)
    return DEPTHS.get(f"{program} {subcommands[0]}", DEPTHS.get(program, 1))


def _plain_subcommands(
    program: str, subcommands: list[str], arguments: list[str]
) -> tuple[str, ...]:
    """Write a script of a package in one way: `npm run test` as `npm test`."""
    if program in SCRIPT_RUNNERS and subcommands:
        first = subcommands[0]
        if first in {"run", "run-script"}:
            named = subcommands[1:] or arguments[:1]
            return tuple(named[:1]) or ("run",)
        if program == "npm" and first in {"t", "tst"}:
            return ("test",)
        if first == "workspace" and len(subcommands) > 1:
            return tuple(subcommands[2:])
        if first in {"i", "add"} and program in {"npm", "pnpm"}:
            return ("install",)
    return tuple(subcommands)

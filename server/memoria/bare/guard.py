"""Words before a mistake, matched against the call that is about to be made.

Commands and changes of files are read as sets of marks. The server lays the words ready
(`policy/guard`), each with the marks that a call must have, and must not have, for the word to be
worth saying. Nothing is concluded here, and nothing is blocked.
"""

from memoria.bare.shell_line import Command, name_place, read_commands
from memoria.bare.shell_programs import SCRIPT_RUNNERS
from memoria.bare.shell_words import split_line
from memoria.bare.tool_calls import list_edits, shell_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Word = dict[str, object]

EDIT = "edit "
"""Mark of what changes a file."""
NEW = "new "
"""Mark of an edit that replaces nothing."""
CHOSEN = "chosen "
"""Mark of a command of which a path, a runner or a set-up tells which program that is."""
_SETTERS = frozenset("nvm fnm sdk pyenv rbenv asdf mise conda source . module direnv".split())
"""Programs that set up a shell for what follows in the line."""
_MOVERS = frozenset("mv rm sed tee truncate chmod touch dd perl".split())
_LONGEST_PATH, _LONGEST = 12, 20_000
_BETWEEN = {
    code: " " for code in range(128) if not chr(code).isalnum() and chr(code) not in "_.:/-$@#"
}


class Act:
    """A command of a line, or a change of a file, by its marks.

    A word of a command is a mark as it stands. Others have a blank in them, so that none is taken
    for a word: `head python`, `program pytest`, `key git push`, `via poetry`, `in web`, and of
    paths `at src/a.py` with every part of them; of an edit `adds node16`. A variable is `NAME=`.
    """

    __slots__ = ("key", "marks", "operands", "program", "text", "tokens")

    def __init__(self, key: str, program: str, text: str, tokens: list[str]) -> None:
        self.key = key
        self.program = program
        self.text = text
        self.tokens = tokens
        """Words behind the first, `--flag=value` as two."""
        self.operands: set[str] = set()
        """Those of them that are neither flags nor name what the program does."""
        self.marks: set[str] = set()


def find_word(
    words: "Iterable[Word]", tool: str | None, args: object, root: str = ""
) -> "Word | None":
    """Return the first word that is worth saying before a call; None for none.

    Args:
        words: those laid ready, the most telling first.
        tool: the client's name of the tool.
        args: its arguments.
        root: the folder of the project.
    """
    acts = read_acts(tool, args, root)
    lines = {act.text for act in acts}
    found = [word for word in words if any(fits(word, act) for act in acts)]
    return next((word for word in found if word.get("same") in lines), found[0] if found else None)


def fits(word: "Word", act: Act) -> bool:
    """Check whether an act has all the marks that a word asks for, and none that speaks against."""
    wanted, either, against = (_texts(word, name) for name in ("all", "any", "none"))
    if not wanted or not act.marks.issuperset(wanted) or not act.marks.isdisjoint(against):
        return False
    return not either or not act.marks.isdisjoint(either)


def read_acts(tool: str | None, args: object, root: str = "") -> list[Act]:
    """List what a call does: the commands of its line, or its changes of files."""
    edits = list_edits(args)
    if not edits:
        line = shell_text(tool, args)
        return [] if line is None else read_line(line, root)
    found = []
    for edit in edits:
        act = Act("", "", edit.path, [])
        added = list_tokens(edit.new) - list_tokens(edit.old)
        act.marks = {EDIT, *_list_places(edit.path), *(f"adds {one}" for one in added)}
        if not edit.old:
            act.marks.add(NEW)
        found.append(act)
    return found


def read_line(line: str, root: str = "") -> list[Act]:
    """List the commands of a shell line."""
    around = _list_around(line)
    return [_read_act(command, root, around) for command in read_commands(line)]


def _read_act(command: Command, root: str, around: set[str]) -> Act:
    """Read a command; of a package manager's `exec` what that runs."""
    words = command.text.split(" ")
    place = name_place(command.folder, root)
    folder, runner, environment = last_part(place), command.runner, command.environment
    if command.program in SCRIPT_RUNNERS and "exec" in words[1:-1]:
        rest = words[words.index("exec") + 1 :]
        inner = read_commands(" ".join(rest[1:] if rest[0] == "--" else rest))
        if inner:
            runner = f"{command.program} exec {inner[-1].runner}".strip()
            command = inner[-1]
            words = command.text.split(" ")
    tokens = [one for word in words[1:] for one in _split_flag(word)]
    text = f"{runner} {command.text}".strip()
    act = Act(_name_key(command, words), command.program, text, tokens)
    named = {*command.key.split(" "), "run", "exec", folder}
    act.operands = {
        one
        for one in tokens
        if one[:1] != "-" and one[-1:] != "=" and one not in named and last_part(one) not in named
    }
    act.marks = {
        words[0],
        *tokens,
        *map(blur_numbers, tokens),
        *around,
        *(f"{one.partition('=')[0]}=" for one in environment),
    }
    act.marks |= {f"do {one}" for one in (*act.key.split(" "), *runner.split(" "))}
    act.marks |= {
        f"line {act.text}",
        f"head {words[0]}",
        f"program {act.program}",
        f"key {act.key}",
        f"in {folder}",
    }
    act.marks |= {f"via {one}" for one in runner.split() if one not in {"run", "exec"}}
    is_set_up = any(one[-1:] != "=" and " ." not in one for one in around)  # no file of variables
    if runner or is_set_up or "/" in words[0].replace("\\", "/"):
        act.marks.add(CHOSEN)
    is_mover = command.program in _MOVERS
    targets = [one for one in command.targets if not one.startswith("/dev/")]
    if is_mover or targets:
        act.marks.add(EDIT)
    values = (one.partition("=")[2] for one in environment)
    for path in (*targets, *tokens, *values):
        act.marks.add(path.rpartition(":")[2])
        if "/" in path or "." in path or is_mover:
            act.marks |= _list_places(f"{place}/{path}" if place else path)
    return act


def _name_key(command: Command, words: list[str]) -> str:
    """Return what a command is for; of a script the word behind a flag tells nothing."""
    told = command.subcommands[:1]
    is_script = " " in command.program and told and told[0] in words
    if is_script and any(one[:1] == "-" for one in words[: words.index(told[0])]):
        return command.program
    return command.key


def blur_numbers(word: str) -> str:
    """Write a name that has a number in it without that: `HAR-12:` as `HAR-#:`."""
    plain = "".join("#" if one.isdigit() else one for one in word)
    while "##" in plain:
        plain = plain.replace("##", "#")
    return word if plain in {"#", "-#"} else plain


def _split_flag(word: str) -> "Iterator[str]":
    name, sign, value = word.partition("=")
    if sign and name.isidentifier():
        yield f"{name}="
    elif sign and word[:1] == "-":
        yield name
        yield value
    else:
        yield word


def _list_around(line: str) -> set[str]:
    """List what a line sets for the commands in it: variables, and versions of programs."""
    found = set()
    for one in split_line(line) if "=" in line or any(map(line.__contains__, _SETTERS)) else ():
        words = one.words[1:] if one.words[:1] == ("export",) else one.words
        names = [word.partition("=") for word in words]
        if names and all(sign and name.isidentifier() for name, sign, _ in names):
            found |= {f"{name}=" for name, _, _ in names}
        elif words and words[0] in _SETTERS:
            setter = "source" if words[0] == "." else words[0]
            found.add(" ".join((setter, *map(last_part, words[1:2]))))
    return found


def list_tokens(text: str) -> set[str]:
    """Return the words of a text of code."""
    return {one.strip(".:/-") for one in text[:_LONGEST].translate(_BETWEEN).split()}


def _list_places(path: str) -> set[str]:
    """List a path with every run of its parts."""
    parts = [one for one in path.split("/") if one not in {"", "."}][-_LONGEST_PATH:]
    ends = range(1, len(parts) + 1)
    return {f"at {'/'.join(parts[i:end])}" for end in ends for i in range(end)}


def last_part(place: str) -> str:
    """Return the last part of a folder or a package's name."""
    return place.rstrip("/.").rpartition("/")[2]


def _texts(word: "Word", name: str) -> list[str]:
    value = word.get(name)
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []

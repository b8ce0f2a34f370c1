"""Words before a mistake, matched against the call that is about to be made.

The server lays the words ready (`policy/guard`), each with what a call has to have, and what it
must not have, for the word to be worth saying. Nothing is concluded here, and nothing is blocked.
"""

from memoria.bare.shell_line import Command, name_place, read_commands
from memoria.bare.shell_words import split_line
from memoria.bare.tool_calls import CallEdit, list_edits, shell_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    Word = dict[str, object]

_IN_TOKEN = frozenset("$@.:/#=*-_")
_TOKENS = {
    **{code: " " for code in range(128) if not chr(code).isalnum() and chr(code) not in _IN_TOKEN},
    **dict.fromkeys(map(ord, "，。、；：？！“”‘’（）《》【】…—"), " "),
}
_PIECES = {
    code: " " for code in range(128) if not chr(code).isalnum() and chr(code) not in ".@+~-_"
}
_LONGEST = 20_000
_SHORTEST_WITHIN = 3
"""Length from which a value is found within a word: `localhost` in `-hlocalhost`."""
_PARTS = {
    **dict.fromkeys(("npm", "pnpm", "yarn"), "-w --workspace --filter -F --prefix -C"),
    **dict.fromkeys(("turbo", "nx", "lerna"), "--filter --scope --projects"),
    "cargo": "-p --package",
}
"""Flags that name a part of a project, by program."""
_SETTERS = {
    **{
        name: name
        for name in "nvm fnm sdk pyenv rbenv asdf mise conda source module direnv".split()
    },
    ".": "source",
}
"""Programs that set up a shell for what follows in the line."""
_HARMLESS = frozenset("--help --version --dry-run".split())
_ASKING = frozenset("--version --help -version -V -v version help".split())
_PLAIN = frozenset(("--", "-q", "--quiet"))
_ASIDE = frozenset(
    "version help fmt format clean add remove login logout config info list ls search show init new"
    " outdated why audit doctor".split()
)
"""Subcommands that hardly fail for what others fail for."""
_MOVERS = frozenset("mv rm cp sed tee truncate chmod touch ln dd perl git".split())
_GIT_MOVERS = frozenset(("git mv", "git rm"))
_ADDERS = frozenset("install add require get i".split())


class Shape:
    """Parts of a command by which two runs are compared."""

    __slots__ = (
        "env",
        "flags",
        "folder",
        "head",
        "is_part",
        "key",
        "place",
        "program",
        "runner",
        "text",
        "tokens",
    )

    def __init__(self, command: Command, root: str, exported: "Collection[str]") -> None:
        self.key = command.key
        self.program = command.program
        self.runner = command.runner
        self.env = {*exported, *(one.partition("=")[0] for one in command.environment)}
        self.flags = {one.partition("=")[0] for one in command.flags}
        self.text = command.text
        self.tokens = command.text.split(" ")
        names = (one.partition("=")[0] for one in self.tokens[1:] if "=" in one)
        self.env |= {one for one in names if one.isidentifier() and one.isupper()}
        self.head = self.tokens[0] if self.tokens else ""
        """Its first word as it stands: `python` of `python -m pytest`."""
        self.place = name_place(command.folder, root)
        part = _find_part(command.program, self.tokens)
        self.is_part = bool(part)
        """True if a flag says in which part of the project it runs."""
        self.folder = last_part(part or self.place)

    @property
    def words(self) -> set[str]:
        """All that it consists of, each assignment without its value."""
        return {*self.env, *self.flags, *self.tokens, *self.runner.split()}

    @property
    def kind(self) -> str:
        """Interpreter and ending of its script, such as `node *.ts`; else the program."""
        first, _, script = self.program.partition(" ")
        stem, dot, ending = script.rpartition(".")
        return f"{first} *.{ending}" if dot and stem else self.program


def read_shapes(line: str, root: str = "") -> list[Shape]:
    """List the commands of a shell line."""
    exported = _list_exported(line)
    return [_read_shape(command, root, exported) for command in read_commands(line)]


def _read_shape(command: Command, root: str, exported: "Collection[str]") -> Shape:
    """Return a command; of a package manager's `exec` what that runs."""
    shape = Shape(command, root, exported)
    if shape.program in _PARTS and "exec" in shape.tokens[1:-1]:
        rest = shape.tokens[shape.tokens.index("exec") + 1 :]
        inner = read_commands(" ".join(rest[1:] if rest[0] == "--" else rest))
        if inner:
            own = Shape(inner[-1], root, shape.env)
            own.runner = f"{shape.program} exec {own.runner}".strip()
            own.place, own.folder, own.is_part = shape.place, shape.folder, shape.is_part
            return own
    return shape


def _list_exported(line: str) -> set[str]:
    """List what a line sets for the commands in it: variables, and versions of programs."""
    found = set()
    for one in split_line(line) if "=" in line or any(map(line.__contains__, _SETTERS)) else ():
        words = one.words[1:] if one.words[:1] == ("export",) else one.words
        names = [word.partition("=") for word in words]
        if names and all(sign and name.isidentifier() for name, sign, _ in names):
            found |= {name for name, _, _ in names}
        elif words and words[0] in _SETTERS:
            found.add(" ".join((_SETTERS[words[0]], *map(last_part, words[1:2]))))
    return found


def _find_part(program: str, tokens: list[str]) -> str:
    """Return which part of a project a flag names; empty for none."""
    flags = _PARTS.get(program)
    if flags is None:
        return ""
    for i, token in enumerate(tokens):
        name, _, value = token.partition("=")
        if name in flags.split(" "):
            following = tokens[i + 1] if i + 1 < len(tokens) else ""
            value = value or ("" if following.startswith("-") else following)
            return value.strip(".")
    return ""


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
    line = shell_text(tool, args)
    edits = list_edits(args)
    shapes = [] if line is None or edits else read_shapes(line, root)
    changed = [(edit, tokens_of(edit.new) - tokens_of(edit.old)) for edit in edits]
    for word in words:
        kind = word.get("kind")
        if kind == "command" and any(fits_command(word, one) for one in shapes):
            return word
        if kind == "edit" and any(_fits_edit(word, *one) for one in changed):
            return word
        if kind == "rule" and _breaks_rule(word, shapes, changed):
            return word
    return None


def fits_command(word: "Word", shape: Shape) -> bool:
    """Check whether a command would fail as the word's did: alike, and without what helped."""
    told = {"key": shape.key, "program": shape.program, "like": shape.kind}
    if any(name in word and word[name] != value for name, value in told.items()):
        return False
    is_elsewhere = shape.folder not in _texts(word, "folders")
    if is_elsewhere or shape.text in _texts(word, "not") or _is_helped(word, shape):
        return False
    if "key" not in word and is_aside(shape):
        return False
    shared = _texts(word, "shared")
    is_other = bool(shared) and not {*shared} & parts_of(shape)
    return not is_other and all(_has(shape, one) for one in _texts(word, "bad"))


def _is_helped(word: "Word", shape: Shape) -> bool:
    """Check whether a command has any of what helped."""
    helped = {*_texts(word, "env"), *_texts(word, "flags")} & shape.words
    if helped or {*_texts(word, "good")} & {*shape.tokens}:
        return True
    return shape.head == (word.get("head") or None) or shape.runner == (word.get("runner") or None)


def is_aside(shape: Shape) -> bool:
    """Check whether a command hardly fails for what others of its program fail for."""
    words = [one for one in shape.tokens[1:] if one not in _PLAIN]
    asked = [one for one in words if not one.startswith("-") or one in _ASKING]
    return not asked or all(one in _ASIDE or one in _ASKING for one in asked)


def parts_of(shape: Shape) -> set[str]:
    """Return what a command works on, each path with its first folder."""
    found: set[str] = set()
    skipped = {*shape.key.split(" "), shape.head}
    for i, token in enumerate(shape.tokens[1:], 1):
        before = shape.tokens[i - 1]
        is_value = before.startswith("--") and "=" not in before
        if not token.startswith("-") and token not in skipped and not is_value:
            found |= {token.rstrip("/"), token.strip("./").partition("/")[0]}
    return found


def _has(shape: Shape, value: str) -> bool:
    if value in shape.tokens:
        return True
    if len(value) < _SHORTEST_WITHIN:
        return False
    return any(
        value in one.translate(_PIECES).split() or (one.startswith("-") and one.endswith(value))
        for one in shape.tokens
    )


def _fits_edit(word: "Word", edit: CallEdit, added: set[str]) -> bool:
    """Check whether an edit brings back what was undone in the same file."""
    bad = {*_texts(word, "bad")}
    return bool(bad) and is_same_file(str(word["file"]), edit.path) and bad <= added


def _breaks_rule(
    word: "Word", shapes: list[Shape], changed: "list[tuple[CallEdit, set[str]]]"
) -> bool:
    """Check whether a call names what the user has ruled out, and nothing that they allowed."""
    if any(_is_ruled_out(word, shape) for shape in shapes):
        return True
    files = _texts(word, "files")
    for edit, added in changed:
        for one in files:
            is_whole = not edit.old and "." not in last_part(one)
            if is_in_place(one, edit.path) and not is_whole:  # a new file in it changes none
                return True
        if any(tokens_of(one) <= added for one in _texts(word, "texts")):
            return True
    return False


def _is_ruled_out(word: "Word", shape: Shape) -> bool:
    if _HARMLESS & {*shape.tokens}:
        return False
    if any(is_phrase(one.split(" "), shape) for one in _texts(word, "allowed")):
        return False
    about = _texts(word, "about")
    is_about = not about or any(one in shape.text for one in about)
    if is_about and any(is_phrase(one.split(" "), shape) for one in _texts(word, "phrases")):
        return True
    if _ADDERS & {*shape.key.split(" ")} and {*_texts(word, "packages")} & {*shape.tokens}:
        return True
    if shape.program not in _MOVERS or (shape.program == "git" and shape.key not in _GIT_MOVERS):
        return False
    paths = [one for one in shape.tokens[1:] if not one.startswith("-")]
    if shape.program in {"cp", "ln"}:
        paths = paths[-1:]  # what is copied stays as it is
    place = f"{shape.place}/" if shape.place else ""
    return any(is_in_place(one, place + path) for one in _texts(word, "files") for path in paths)


def is_phrase(phrase: list[str], shape: Shape) -> bool:
    """Check whether the words of a phrase stand in a command, in their order."""
    if not phrase or not phrase[0]:
        return False
    at = 0
    for token in shape.tokens:
        bare = token.rpartition("/")[2] if not at else token
        if phrase[at] in (token, bare):
            at += 1
            if at == len(phrase):
                return True
    return False


def is_same_file(one: str, other: str) -> bool:
    """Check whether one path ends with the other."""
    longer, shorter = sorted((one.strip("/"), other.strip("/")), key=len, reverse=True)
    return longer == shorter or longer.endswith(f"/{shorter}")


def is_in_place(place: str, path: str) -> bool:
    """Check whether a path is a file, or below a folder, or of an ending such as `.tscn`."""
    parts = path.strip("/").split("/")
    told = place.strip("/").split("/")
    if len(told) == 1 and told[0].startswith(".") and parts[-1] != told[0]:
        return parts[-1].endswith(told[0]) and not parts[-1].startswith(".")
    return any(parts[i : i + len(told)] == told for i in range(len(parts)))


def tokens_of(text: str) -> set[str]:
    """Return the words of a text of code."""
    words = text[:_LONGEST].translate(_TOKENS).split()
    return {told for one in words if (told := one.lstrip(".:/#=*-").rstrip(".:/#=-"))}


def last_part(place: str) -> str:
    """Return the last part of a folder or a package's name."""
    return place.rstrip("/.").rpartition("/")[2]


def _texts(word: "Word", name: str) -> list[str]:
    value = word.get(name)
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []

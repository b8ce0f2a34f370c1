"""Which files a tool call touched, which it changed, and which it renamed."""

import re
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from memoria.language.calls.command import Command, read_commands, shell_text

_MOST_FILES = 12
_LONGEST_PATH = 300
_PATH_FIELDS = (
    "file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file", "TargetFile",
    "AbsolutePath", "filename", "file", "relative_path", "old_path", "new_path",
)  # fmt: skip
_LIST_FIELDS = ("paths", "files", "file_paths", "edits", "filePaths")
_EDITS = (
    "edit", "write", "replace", "apply_patch", "applypatch", "create_file", "createfile",
    "insert", "patch", "save_file", "new_file",
)  # fmt: skip
_NO_EDITS = ("todo", "memory", "plan", "read")
_PATCH_FILE = re.compile(r"(?m)^\*\*\* (?:Update|Add|Delete) File: (?P<path>.+)$")
_PATCH_MOVE = re.compile(r"(?m)^\*\*\* Update File: (?P<old>.+)\n\*\*\* Move to: (?P<new>.+)$")
_DIFF_FILE = re.compile(r"(?m)^\+\+\+ (?:b/)?(?P<path>[^\t\n]+)$")
_FILE_WORD = re.compile(
    r"^(?!-)(?!\w+://)[\w.@+~/\\:-]*?(?P<name>[\w@+~-][\w.@+~-]*\.[A-Za-z][A-Za-z0-9]{0,9}"
    r"|Makefile|Dockerfile|Rakefile|Gemfile|Procfile|Justfile|LICENSE|\.env[\w.]*|\.gitignore)"
    r"(?::\d+)*(?:::[\w\[\]:.-]+)?$"
)
_NAMES = frozenset(
    "py pyi ipynb js mjs cjs ts mts cts tsx jsx json jsonc json5 jsonl rs go rb java kt kts scala c"
    " h cc cpp hpp cs php ex exs erl swift m mm vue svelte astro html css scss less sql sh bash zsh"
    " fish ps1 bat md mdx rst txt toml yaml yml xml csv tsv ini cfg conf env lock lua pl r jl hs ml"
    " clj dart zig nim tf tfvars proto graphql gql prisma sln csproj fsproj gradle properties plist"
    " patch diff log db sqlite sqlite3 dump tar gz zip png jpg svg tscn gd xlsx pdf onnx pt".split()
)
"""Endings by which a word without a folder is known for a file."""
_ENDS_OF_SITES = (".com", ".org", ".net", ".io", ".dev", ".cn", ".example", ".local", ".test")
_NO_FILES = frozenset("pip npm pnpm yarn git-remote curl docker ssh ping echo printf".split())
_IN_OUTPUT = re.compile(
    r"(?<![\w/.-])(?P<path>(?:\.{0,2}/)?(?:[\w@+-][\w.@+-]*/)+[\w.@+-]+\.[A-Za-z]\w{0,7})(?=[:(\s\"',]|$)"
)
_FOREIGN = re.compile(
    r"node_modules|site-packages|dist-packages|\.venv|/usr/|/opt/|/lib/python|\.cargo/registry|/root/"
    r"|/rustc/|/deps/|vendor/|target/debug|_build/"
)
_MOST_IN_OUTPUT = 4
_READ_OF_OUTPUT = 6_000
_MOVERS = frozenset(("mv", "git mv"))
_CHANGERS = frozenset("mv rm cp touch tee patch".split())


def files_of_call(
    tool_name: str | None, args: JsonValue, result: JsonValue = None
) -> tuple[str, ...]:
    """List the files that a call names, as they are written; of a failing call, its errors' too."""
    return list_files(args, _read_commands(tool_name, args), result)


def list_files(
    args: JsonValue, commands: Sequence[Command], result: JsonValue = None
) -> tuple[str, ...]:
    """List the files of a call, of which the commands are read already."""
    found = [*_list_named(args), *_list_patched(args)]
    for command in commands:
        found += _list_in_command(command)
    if isinstance(result, dict) and result.get("is_error"):
        found += _list_in_output(result.get("content"))
    kept = dict.fromkeys(strip_place(path) for path in found if _is_file(path))
    return tuple(path for path in kept if path)[:_MOST_FILES]


def is_edit(tool_name: str | None, args: JsonValue) -> bool:
    """Check whether a call changes files: by a tool for that, or by a shell's means."""
    commands = _read_commands(tool_name, args)
    return changes_files(tool_name, args, commands, list_files(args, commands))


def changes_files(
    tool_name: str | None, args: JsonValue, commands: Sequence[Command], files: Sequence[str]
) -> bool:
    """Check whether a call changes files, of which commands and files are read already."""
    if commands:
        return any(map(_changes_files, commands)) or any(map(_has_patch, _list_texts(args)))
    name = (tool_name or "").lower()
    if any(part in name for part in _NO_EDITS) or not any(part in name for part in _EDITS):
        return False
    return isinstance(args, str) or bool(files)


def renames_of_call(tool_name: str | None, args: JsonValue) -> tuple[tuple[str, str], ...]:
    """List (old path, new path) of the files that a call renames."""
    return list_renames(args, _read_commands(tool_name, args))


def list_renames(args: JsonValue, commands: Sequence[Command]) -> tuple[tuple[str, str], ...]:
    """List the renames of a call, of which the commands are read already."""
    found = [(old["old"].strip(), old["new"].strip()) for old in _find_moves(args)]
    for command in commands:
        if command.key in _MOVERS and len(command.arguments) > 1:
            *olds, new = command.arguments
            found += [(_below(command, old), _below(command, _target(old, new))) for old in olds]
    return tuple(found)


def _read_commands(tool_name: str | None, args: JsonValue) -> tuple[Command, ...]:
    line = shell_text(tool_name, args)
    return () if line is None else read_commands(line)


def _has_patch(text: str) -> bool:
    return "*** " in text and _PATCH_FILE.search(text) is not None


def strip_place(path: str) -> str:
    """Cut a line number or a test's name behind a path, and `./` in front of it."""
    told = re.sub(r"(?:::.*|(?::\d+)+|\(\d+(?:,\d+)?\))$", "", path.strip().strip("\"'`"))
    return told.removeprefix("./").replace("\\", "/")[:_LONGEST_PATH]


def is_same_path(one: str, other: str) -> bool:
    """Check whether two paths may be one file: one of them ends with the other.

    >>> is_same_path("/home/ann/x/src/lexer.rs", "src/lexer.rs"), is_same_path("a.rs", "ba.rs")
    (True, False)
    """
    first, second = (strip_place(path).casefold().strip("/") for path in (one, other))
    longer, shorter = sorted((first, second), key=len, reverse=True)
    return longer == shorter or longer.endswith(f"/{shorter}")


def base_name(path: str) -> str:
    """Return the last part of a path in small letters, by which files are looked up."""
    return strip_place(path).rstrip("/").rpartition("/")[2].casefold()


def _target(old: str, new: str) -> str:
    """Return where a file goes: into a folder it keeps its name."""
    if new.endswith("/") or ("." not in new.rpartition("/")[2] and "." in old.rpartition("/")[2]):
        return f"{new.rstrip('/')}/{old.rpartition('/')[2]}"
    return new


def _below(command: Command, path: str) -> str:
    folder = command.folder
    if not folder or path.startswith(("/", "~")):
        return path
    return f"{folder.rstrip('/')}/{path.removeprefix('./')}"


def _find_moves(args: JsonValue) -> Iterator[re.Match[str]]:
    for text in _list_texts(args):
        if "*** " in text:
            yield from _PATCH_MOVE.finditer(text)


def _list_texts(args: JsonValue) -> Iterator[str]:
    match args:
        case str():
            yield args
        case dict():
            for name in ("input", "patch", "diff", "content", "command", "cmd"):
                value = args.get(name)
                if isinstance(value, str):
                    yield value
                elif isinstance(value, list):
                    yield from (word for word in value if isinstance(word, str))


def _list_patched(args: JsonValue) -> Iterator[str]:
    for text in _list_texts(args):
        if "*** " in text:
            yield from (found["path"] for found in _PATCH_FILE.finditer(text))
            yield from (found["new"] for found in _PATCH_MOVE.finditer(text))
        if "\n+++ " in text:
            yield from (found["path"] for found in _DIFF_FILE.finditer(text))


def _list_named(args: JsonValue) -> Iterator[str]:
    if not isinstance(args, dict):
        return
    for name in _PATH_FIELDS:
        told = args.get(name)
        if isinstance(told, str) and told:
            yield told
    for name in _LIST_FIELDS:
        listed = args.get(name)
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, str):
                yield one
            elif isinstance(one, dict):
                yield from _list_named(one)


def _list_in_command(command: Command) -> Iterator[str]:
    if command.program not in _NO_FILES:
        words = command.text.split(" ")
        yield from (_below(command, word) for word in words if _is_file_word(word))
    yield from (_below(command, word) for word in command.targets if _is_file_word(word))


def _list_in_output(content: JsonValue) -> Iterator[str]:
    if not isinstance(content, str):
        return
    paths = (found["path"] for found in _IN_OUTPUT.finditer(content[:_READ_OF_OUTPUT]))
    own = dict.fromkeys(path for path in paths if not _FOREIGN.search(path))
    yield from [*own][:_MOST_IN_OUTPUT]


def _is_file_word(word: str) -> bool:
    """Check whether a word of a command is a file's path; a bare `deps.get` is a task."""
    found = _FILE_WORD.match(word)
    if found is None or "/" in word:
        return found is not None
    stem, dot, ending = found["name"].rpartition(".")
    return not dot or not stem or ending.casefold() in _NAMES


def _is_file(path: str) -> bool:
    if not path or len(path) > _LONGEST_PATH or "\n" in path or "://" in path:
        return False
    return not path.endswith(_ENDS_OF_SITES)


def _changes_files(command: Command) -> bool:
    if command.program in _CHANGERS or command.key in {"git mv", "git rm", "git apply"}:
        return True
    if command.program == "sed" or command.program.startswith("perl"):
        return any(flag.startswith(("-i", "-pi", "--in-place")) for flag in command.flags)
    return any(map(_is_file_word, command.targets))

"""A tool call as the client tells it: the shell line that it runs, and what it changes in files."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_COMMAND_FIELDS = ("command", "cmd", "CommandLine", "command_line", "script")
_SHELL_NAMES = (
    "bash shell exec terminal run_command run_in_terminal execute_command runcommand run_shell"
    " local_shell powershell execute cmd unified_exec command"
).split()
_OTHER_NAMES = ("edit", "write", "read", "browser", "mcp__", "str_replace")
_SHELL_FLAGS = frozenset(("-c", "-lc", "-ic", "-lic", "/c", "-Command"))
_PATHS = ("file_path", "filePath", "path", "absolute_path", "target_file", "notebook_path")
_OLDS = ("old_string", "oldString", "old_str", "old_text", "search")
_NEWS = ("new_string", "newString", "new_str", "new_text", "replace", "content", "file_text")
_PATCH_HEAD = "*** Begin Patch"
_PATCH_FILE = "*** "


class CallEdit:
    """A change of a file."""

    __slots__ = ("new", "old", "path")

    def __init__(self, path: str, old: str, new: str) -> None:
        self.path = path
        self.old = old
        """Text that goes; empty where a whole file is written."""
        self.new = new


def shell_text(tool_name: str | None, args: object) -> str | None:
    """Return the shell line that a call runs; None for a call that runs none."""
    if isinstance(args, str):
        return args if args and _is_shell(tool_name) else None
    if not isinstance(args, dict):
        return None
    for field in _COMMAND_FIELDS:
        told = args.get(field)
        if isinstance(told, str) and told.strip():
            return told if _is_shell(tool_name) else None
        if isinstance(told, list) and told and all(isinstance(word, str) for word in told):
            return _join_words([str(word) for word in told])
    return None


def list_edits(args: object) -> "list[CallEdit]":
    """List the changes of files that a call makes by a tool for that."""
    if isinstance(args, str):
        return list(_read_patch(args)) if _PATCH_HEAD in args else []
    if not isinstance(args, dict):
        return []
    for name in ("input", "patch", *_COMMAND_FIELDS):
        told = args.get(name)
        text = told[-1] if isinstance(told, list) and told else told
        if isinstance(text, str) and _PATCH_HEAD in text:
            return list(_read_patch(text))
    path = _first(args, _PATHS)
    parts = args.get("edits")
    listed = parts if isinstance(parts, list) else [args]
    return [
        CallEdit(path, _first(part, _OLDS), _first(part, _NEWS))
        for part in listed
        if path and isinstance(part, dict) and any(name in part for name in _NEWS)
    ]


def _first(fields: "dict[str, object]", names: tuple[str, ...]) -> str:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str):
            return value
    return ""


def _read_patch(text: str) -> "Iterator[CallEdit]":
    path, old, new = "", list[str](), list[str]()
    for line in [*text.splitlines(), f"{_PATCH_FILE}End"]:
        if line.startswith(_PATCH_FILE):
            if path and (old or new):
                yield CallEdit(path, "\n".join(old), "\n".join(new))
            head, _, name = line.partition(" File: ")
            path, old, new = name.strip() if head.startswith(_PATCH_FILE) else "", [], []
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith("-"):
            old.append(line[1:])


def _is_shell(tool_name: str | None) -> bool:
    name = (tool_name or "").lower()
    if any(part in name for part in _OTHER_NAMES):
        return False
    return any(part in name for part in _SHELL_NAMES)


def _join_words(words: list[str]) -> str:
    """Write a list of words as a line: `bash -lc LINE` as the line alone."""
    if len(words) > 2 and words[-2] in _SHELL_FLAGS:  # noqa: PLR2004  # a shell, a flag, a line
        return words[-1]
    return " ".join(
        word
        if word and not any(c in word for c in " \t\n'\"|&;<>()$")
        else "'" + word.replace("'", "'\\''") + "'"
        for word in words
    )

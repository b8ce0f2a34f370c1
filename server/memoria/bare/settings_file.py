"""The settings file of a home: where it lies, what it says, and on which line.

It is TOML, a setting a line, by its name in lower case: `llm_daily_tokens = 200_000`. Parsing costs
more than a whole hook, so a hook parses it only where one of its lines begins with what it asks.
"""

import os

from memoria.bare.home import NotRegularError, read_regular

SETTINGS_FILE = "settings.toml"
IGNORED_FOLDERS, SILENT_SHARE = "ignored_folders", "silent_share"
_VARIABLES = {name: f"MEMORIA_{name.upper()}" for name in (IGNORED_FOLDERS, SILENT_SHARE)}
_MOST_BYTES = 1 << 16


class SettingsFileError(ValueError):
    """A settings file can't be read; the message says where, and what is wrong."""


def settings_path(home: str) -> str:
    """Return the path of a home's settings file."""
    return os.path.join(home, SETTINGS_FILE)


def read_text(home: str) -> str:
    """Return the text of a home's settings file; empty where there is none.

    Raises:
        SettingsFileError: it is no file that can be read, or no text.
    """
    path = settings_path(home)
    try:
        content = read_regular(path, _MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # or a path that no system takes
        return ""
    except NotRegularError as error:
        raise SettingsFileError(f"{error}: settings are read from a regular file alone") from error
    except OSError as error:
        raise SettingsFileError(f"{path} can't be read: {error.strerror}") from error
    if len(content) > _MOST_BYTES:
        raise SettingsFileError(f"{path} has more than {_MOST_BYTES:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SettingsFileError(f"{path}, line {line}: this is no UTF-8") from error


def parse(home: str, text: str) -> dict[str, object]:
    """Parse the text of a settings file into values by name.

    Raises:
        SettingsFileError: it is no TOML.
    """
    from tomllib import loads  # takes as long as all else that a hook does

    try:
        return loads(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        problem, _, place = str(error).partition(" (at ")
        line = place.removeprefix("line ").partition(",")[0]
        last = len(text.splitlines())
        where = f"{settings_path(home)}, line {line if line.isdigit() else last}"
        raise SettingsFileError(f"{where}: {problem[:1].lower()}{problem[1:]}") from error


def find_line(text: str, name: str) -> int | None:
    """Return the number of the line on which a setting, or a table of that name, begins."""
    keys = map(_key, text.splitlines())
    return next((number for number, key in enumerate(keys, 1) if key == name), None)


def describe_place(home: str, text: str, name: str) -> str:
    """Name a setting's place, as a message begins: the file, the line and the name."""
    line = find_line(text, name)
    return f"{settings_path(home)}{f', line {line}' if line else ''}: {name}"


def find_ignored_folders(home: str) -> str:
    """Return the folders of which nothing is recorded: by the environment, else by the file.

    They are one text, with a comma between them.

    Raises:
        SettingsFileError: the file names some, and nobody can tell which.
    """
    if named := os.environ.get(_VARIABLES[IGNORED_FOLDERS]):
        return named
    text = read_text(home)
    if not _may_name(text, IGNORED_FOLDERS):
        return ""
    folders = parse(home, text).get(IGNORED_FOLDERS, "")
    listed = folders if isinstance(folders, list) else [folders]
    names = [one for one in listed if isinstance(one, str)]
    if len(names) < len(listed):
        raise SettingsFileError(describe_place(home, text, IGNORED_FOLDERS) + ": it is no text")
    return ",".join(names)


def find_silent_share(home: str) -> float:
    """Return the share of sessions in which memory is silent: by the environment, else by the file.

    Raises:
        SettingsFileError: one of them names it, and it is no number.
    """
    variable = _VARIABLES[SILENT_SHARE]
    named: object = os.environ.get(variable)
    place = variable
    if not named:
        text = read_text(home)
        if not _may_name(text, SILENT_SHARE):
            return 0.0
        named = parse(home, text).get(SILENT_SHARE, 0)
        place = describe_place(home, text, SILENT_SHARE)
    try:
        return float(str(named))
    except ValueError as error:
        raise SettingsFileError(f"{place}: it is no number") from error


def _may_name(text: str, name: str) -> bool:
    """Check whether a line may name a setting, so that only then the text need be parsed."""
    return any(_key(line) == name or "\\" in _key(line) for line in _lines(text))


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.lstrip().startswith("#")]


def _key(line: str) -> str:
    """Return the name that a line gives a value to; of a table's header, its name."""
    name = line.partition("=")[0].strip().strip("[]").strip()
    return name.partition(".")[0].strip().strip("\"'")

"""Changes of a home's settings file: refused with a reason, or written whole."""

from collections.abc import Mapping
from pathlib import Path

from memoria.admin.settings.edit import set_value, unset_value
from memoria.admin.settings.template import new_file
from memoria.bare.settings_file import SettingsFileError, parse, read_text, settings_path
from memoria.config import Settings
from memoria.disk.folders import make_private
from memoria.disk.home_files import replace_file
from memoria.errors import InvalidInputError, StoreUnavailableError, shorten
from memoria.language.secrets.redact import holds_a_key
from memoria.settings_file import (
    FORMER_SETTINGS,
    KEY_IN_FILE,
    NOT_IN_A_FILE,
    VARIABLE_MARK,
    describe_unknown,
    find_faults,
    is_secret,
)


def change_settings(home: Path, changes: Mapping[str, str | None]) -> Path:
    """Write settings into the home's file, which is made where there is none.

    Args:
        home: the data folder.
        changes: what each is to be, as it is typed; None for no longer set.

    Returns:
        The file.

    Raises:
        InvalidInputError: there is no such setting, it can't be that, or together they can't be.
        StoreUnavailableError: the file can't be written.
    """
    for name, given in changes.items():
        _check(name, given)
    folder = str(home)
    file = Path(settings_path(folder))
    try:
        before = read_text(folder)
        parse(folder, before)  # an edit needs a text that has a meaning
        after = _apply(before or new_file(), changes)
        _check_together(parse(folder, after))
    except SettingsFileError as error:
        raise InvalidInputError(f"{error}. Mend the file first.") from error
    try:
        make_private(home)
        is_written = replace_file(file, after.encode(), lambda: read_text(folder) == before)
    except OSError as error:
        raise StoreUnavailableError.from_system(error) from error
    if not is_written:
        raise InvalidInputError(f"{file} was changed at this very moment. Say it again.")
    return file


def _check(name: str, given: str | None) -> None:
    """Check that there is such a setting, and that it can be this.

    Raises:
        InvalidInputError: it can't.
    """
    if name in NOT_IN_A_FILE:
        raise InvalidInputError(f"{name}: give it with {NOT_IN_A_FILE[name]}; a file can't say it.")
    if given is None and name in FORMER_SETTINGS:
        return  # a line that says nothing any more
    if name not in Settings.model_fields:
        raise InvalidInputError(f"{shorten(name)}: {describe_unknown(Settings, name)}")
    if given is None:
        return
    if is_secret(Settings, name):
        if not given.removeprefix(VARIABLE_MARK).isidentifier() or given[:1] != VARIABLE_MARK:
            raise InvalidInputError(f"{name}: {KEY_IN_FILE}")
        return
    if holds_a_key(given):
        raise InvalidInputError(f"{name}: this holds a key. {_KEEP_APART}")
    if fault := find_faults(Settings, {name: given}).get(name):
        raise InvalidInputError(f"{name}: {fault}. {_describe(name)}")


_KEEP_APART = (
    "Let the program read it itself, from a variable, a file or a keyring; a settings file is no "
    "place for one."
)


def _describe(name: str) -> str:
    default = Settings.model_fields[name].default
    return f"Its default is {default!r}." if default is not None else "By default it is not set."


def _apply(text: str, changes: Mapping[str, str | None]) -> str:
    for name, given in changes.items():
        if given is None:
            text = unset_value(text, name)
        else:
            text = set_value(text, name, _read(name, given))
    return text


def _read(name: str, given: str) -> object:
    """Read what was typed as the file has it: numbers and switches bare, several as a list."""
    if is_secret(Settings, name):
        return given
    try:
        meant = getattr(Settings(**{name: given}), name)
    except InvalidInputError:  # it does not stand alone, which is looked at with the others
        return given.strip()
    if isinstance(meant, bool | int | float):
        return meant
    is_list = isinstance(meant, tuple) and all(isinstance(one, str) for one in meant)
    return list(map(str, meant)) if is_list else given.strip()


def _check_together(values: Mapping[str, object]) -> None:
    """Check that the file's settings go together; what is wrong by itself is told elsewhere."""
    known = {name: value for name, value in values.items() if name in Settings.model_fields}
    faults = find_faults(Settings, known)
    Settings(**{name: value for name, value in known.items() if name not in faults and value != ""})

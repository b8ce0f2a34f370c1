"""Settings that are gone: whatever still names one goes on, and is told so in a sentence."""

from pathlib import Path

import pytest
from tests.surface.shell import Shell

from memoria.config import Settings
from memoria.errors import InvalidInputError
from memoria.settings_file import FORMER_SETTINGS

EACH = pytest.mark.parametrize("name", FORMER_SETTINGS)
GONE = "this is no setting any more"


@pytest.fixture
def shell(home: Path) -> Shell:
    return Shell(home).begin()


@EACH
def test_a_variable_that_was_a_setting_stops_nothing_and_is_named(shell: Shell, name: str) -> None:
    variable = f"MEMORIA_{name.upper()}"
    done = shell("config", "--all", **{variable: "nonsense"})
    assert done.code == 0
    assert done.out.count(f"{variable}: {GONE}") == 1
    assert FORMER_SETTINGS[name] in done.out
    assert name not in Settings.model_fields


@EACH
def test_a_line_of_the_file_that_was_a_setting_stops_nothing_and_is_named(
    home: Path, shell: Shell, name: str
) -> None:
    (home / "settings.toml").write_text(f"archive_days = 3\n{name} = 7\n", "utf-8")
    done = shell("config")
    assert f"settings.toml, line 2: {name}: {GONE}" in done.out
    assert Settings.load(home=home).archive_days == 3


@EACH
def test_setting_one_by_a_script_stops_nothing_and_sets_the_others(
    home: Path, shell: Shell, name: str
) -> None:
    done = shell("config", "set", name, "7", "archive_days", "3")
    assert (done.code, f"note: {name}: {GONE}" in done.err) == (0, True)
    assert name not in (home / "settings.toml").read_text("utf-8")
    assert Settings.load(home=home).archive_days == 3
    alone = shell("config", "set", name, "7")
    assert (alone.code, alone.out) == (0, "Nothing was written.\n")


def test_a_line_that_says_nothing_any_more_can_be_taken_out(home: Path, shell: Shell) -> None:
    (home / "settings.toml").write_text("lease_ms = 7\narchive_days = 3\n", "utf-8")
    assert shell("config", "unset", "lease_ms").code == 0
    assert (home / "settings.toml").read_text("utf-8") == "archive_days = 3\n"


def test_commands_and_doctor_say_so_too(shell: Shell) -> None:
    searched = shell("search", "anything", MEMORIA_LEASE_MS="7")
    assert searched.code == 0
    assert searched.err.count(f"MEMORIA_LEASE_MS: {GONE}") == 1
    looked = shell("doctor", "--json", MEMORIA_LEASE_MS="7").document["findings"]
    (finding,) = (one for one in looked if one["check"] == "settings")
    assert finding["state"] == "warning"
    assert GONE in finding["detail"]


@EACH
def test_a_program_that_sets_one_is_told_why_it_can_not(name: str) -> None:
    with pytest.raises(InvalidInputError, match=f"MEMORIA_{name.upper()}: {GONE}"):
        Settings.from_values(**{name: 7})

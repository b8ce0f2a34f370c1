"""`memoria config`: what holds and why, and changes of the home's settings file."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.surface.shell import Shell

from memoria.admin.settings import COMMENTS, new_file, set_value, unset_value
from memoria.config import Settings
from memoria.errors import InvalidInputError
from memoria.settings_file import FORMER_SETTINGS, variable_of


@pytest.fixture
def shell(home: Path) -> Shell:
    return Shell(home)


def _write(home: Path, text: str) -> Path:
    home.mkdir(parents=True, exist_ok=True)
    file = home / "settings.toml"
    file.write_text(text, "utf-8")
    return file


def _held(shell: Shell, name: str, **environment: str) -> dict[str, Any]:
    found = shell("config", "--all", "--json", **environment).document
    return next(one for one in found["settings"] if one["name"] == name)


def test_a_setting_in_the_file_holds_for_whoever_opens_the_home(shell: Shell, home: Path) -> None:
    assert shell("config", "set", "forget_at_once", "3").code == 0
    assert Settings.load(home=home).forget_at_once == 3
    assert Settings.load_here(str(home), None, None).forget_at_once == 3


def test_the_environment_wins_over_the_file_and_config_says_so(shell: Shell) -> None:
    shell("config", "set", "forget_at_once", "3")
    line = _held(shell, "forget_at_once")["line"]
    assert _held(shell, "forget_at_once") == {
        "name": "forget_at_once",
        "value": "3",
        "source": "file",
        "line": line,
    }
    held = _held(shell, "forget_at_once", MEMORIA_FORGET_AT_ONCE="4")
    assert (held["value"], held["source"]) == ("4", "environment")
    assert held["note"] == f"line {line} of the file does not hold: the environment wins"
    assert _held(shell, "llm_attempts")["source"] == "default"


def test_a_new_file_has_what_people_need_each_with_a_line_about_it_and_sets_nothing() -> None:
    text = new_file()
    assert tomllib.loads(text) == {}
    assert set(COMMENTS) <= set(Settings.model_fields)
    uncommented = "\n".join(line.removeprefix("# ") for line in text.splitlines() if " = " in line)
    assert tomllib.loads(uncommented) == {
        name: "" if (default := Settings.model_fields[name].default) is None else default
        for name in COMMENTS
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("llm_daily_tokens", "0"), "llm_daily_tokens: Input should be greater than or equal to 1"),
        (("embedder", "best"), "'bundled', 'endpoint' or 'off'"),
        (("llm_dayly_tokens", "5"), "Is `llm_daily_tokens` meant?"),
        (("time_zone", "Mars/Base"), "time_zone: "),
        (("llm_api_key", "sk-proj-1234567890abcdef"), 'as "$NAME"'),
        (("llm_api_key", "sk-proj-1234567890abcdef"), "keyring get memoria NAME"),
        (("llm_base_url", "http://127.0.0.1:1/v1"), "MEMORIA_LLM_MODEL"),
        (("llm_command", "ask --key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"), "a key"),
        (("home", "/elsewhere"), "--home or MEMORIA_HOME"),
        (("forget_at_once",), "which value?"),
    ],
)
def test_nonsense_is_refused_with_what_is_allowed_and_nothing_is_written(
    shell: Shell, home: Path, words: tuple[str, ...], said: str
) -> None:
    output = shell("config", "set", *words)
    assert output.code == 1
    assert said in output.err
    assert "sk-proj" not in output.err
    assert not (home / "settings.toml").exists()


def test_settings_that_need_each_other_are_set_together(shell: Shell, home: Path) -> None:
    words = ("llm_base_url", "http://127.0.0.1:1/v1", "MEMORIA_LLM_MODEL", "qwen")
    assert shell("config", "set", *words).code == 0
    loaded = Settings.load(home=home)
    assert (loaded.llm_base_url, loaded.llm_model) == ("http://127.0.0.1:1/v1", "qwen")
    assert shell("config", "unset", "llm_model").code == 1
    assert shell("config", "unset", "llm_model", "llm_base_url").code == 0
    assert Settings.load(home=home).llm_base_url is None


@pytest.mark.parametrize("name", ["time_zone", "forget_at_once", "embedder", "llm_api_key"])
def test_an_empty_text_sets_the_default_as_it_does_in_the_environment(
    shell: Shell, home: Path, name: str
) -> None:
    value = {"time_zone": "Asia/Tokyo", "embedder": "off", "llm_api_key": "$OURS"}.get(name, "3")
    url = ("llm_base_url", "http://127.0.0.1:1/v1", "llm_model", "m")
    assert shell("config", "set", *url, name, value).code == 0
    done = shell("config", "set", name, "")
    assert done.code == 0, done.err
    assert name not in tomllib.loads((home / "settings.toml").read_text("utf-8"))
    assert getattr(Settings.load(home=home), name) == Settings.model_fields[name].default


def test_a_key_is_held_by_the_variable_that_the_file_names_and_never_shown(
    shell: Shell, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell("config", "set", "llm_base_url", "http://h/v1", "llm_model", "m", "llm_api_key", "$OURS")
    assert Settings.load(home=home).llm_api_key is None
    assert "there is no variable OURS" in shell("config").out
    monkeypatch.setenv("OURS", "hunter2hunter2")
    key = Settings.load(home=home).llm_api_key
    assert key is not None
    assert key.get_secret_value() == "hunter2hunter2"
    assert "hunter2" not in shell("config").out + shell("config", "--json").out


def test_a_key_written_into_the_file_is_not_used_and_not_repeated(home: Path) -> None:
    _write(home, 'llm_base_url = "http://h/v1"\nllm_model = "m"\nllm_api_key = "hunter2"\n')
    assert Settings.load(home=home).llm_api_key is None
    output = Shell(home)("config")
    assert "line 3: llm_api_key: a key does not belong into a file" in output.out
    assert "hunter2" not in output.out + output.err


def test_a_model_that_the_environment_names_gets_no_key_of_the_files(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OURS", "hunter2")
    _write(home, 'llm_base_url = "http://a/v1"\nllm_model = "m"\nllm_api_key = "$OURS"\n')
    monkeypatch.setenv("MEMORIA_LLM_BASE_URL", "http://b/v1")
    monkeypatch.setenv("MEMORIA_LLM_MODEL", "n")
    loaded = Settings.load(home=home)
    assert (loaded.llm_base_url, loaded.llm_api_key) == ("http://b/v1", None)
    monkeypatch.delenv("MEMORIA_LLM_BASE_URL")
    monkeypatch.delenv("MEMORIA_LLM_MODEL")
    monkeypatch.setenv("MEMORIA_LLM_COMMAND", "ask")
    assert Settings.load(home=home).llm_base_url is None


def test_what_cannot_be_used_is_named_with_its_line_and_the_rest_holds(
    shell: Shell, home: Path
) -> None:
    file = _write(home, 'forget_at_onc = 3\n\nllm_attempts = "many"\nforget_grace_days = 2\n')
    loaded = Settings.load(home=home)
    assert (loaded.llm_attempts, loaded.forget_grace_days) == (3, 2)
    shell("remember", "I like tea")
    warned = shell("stats").err
    assert f"{file}, line 1: forget_at_onc: there is no such setting. Is `forget_at_once`" in warned
    assert f"{file}, line 3: llm_attempts: Input should be a valid integer" in warned
    doctor = shell("doctor", "--json").document
    finding = next(one for one in doctor["findings"] if one["check"] == "settings")
    assert finding["state"] == "warning"
    assert "line 1" in finding["detail"]
    assert "line 3" in finding["detail"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("forget_at_once = \n", "line 1"),
        ('a = 1\nb = "\n', "line 2"),
        ("a = [\n", "line 1"),
        ("private_workspaces = 3\n", "line 1: private_workspaces"),
    ],
)
def test_nothing_is_served_where_nobody_can_tell_what_is_private(
    shell: Shell, home: Path, text: str, said: str
) -> None:
    file = _write(home, text)
    with pytest.raises(InvalidInputError, match=f"{file}, {said}"):
        Settings.load(home=home)
    assert said in shell("config").out


def test_a_home_of_its_own_is_not_ruled_by_the_usual_homes_file(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _write(home, "forget_at_once = 3\n")
    monkeypatch.setenv("MEMORIA_HOME", str(home))
    assert Settings.load().forget_at_once == 3
    assert Settings.load(home=tmp_path / "other").forget_at_once == 10


_LINES = st.lists(
    st.sampled_from(
        [
            "# a comment",
            "",
            'time_zone = "UTC"  # mine',
            "forget_at_once = 7",
            "# forget_at_once = 10",
            'ignored_folders = [\n  "/a", # one\n  "/b",\n]',
            "llm_attempts=2",
            'note = """\nforget_at_once = 1\n"""',
        ]
    ),
    unique=True,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(_LINES, st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_an_edit_leaves_every_other_line_and_value_as_it_was(
    lines: list[str], has_table: bool, newline: str
) -> None:
    given_lines = [*lines, *(["[table]", "forget_at_once = 2"] if has_table else [])]
    text = newline.join("\n".join(given_lines).split("\n"))
    before = tomllib.loads(text.replace("\r\n", "\n"))
    changed = set_value(text, "forget_at_once", 5)
    assert tomllib.loads(changed.replace("\r\n", "\n")) == {**before, "forget_at_once": 5}
    kept = [one for one in text.splitlines() if "forget_at_once" not in one]
    assert [one for one in changed.splitlines() if "forget_at_once" not in one] == kept
    left = tomllib.loads(unset_value(changed, "forget_at_once").replace("\r\n", "\n"))
    assert left == {name: one for name, one in before.items() if name != "forget_at_once"}


def test_a_comment_behind_a_value_stays(home: Path) -> None:
    file = _write(home, "forget_at_once = 7  # as few as that\n")
    Shell(home)("config", "set", "forget_at_once", "8")
    assert file.read_text("utf-8") == "forget_at_once = 8  # as few as that\n"


def test_every_setting_can_be_said_by_the_file_in_the_form_in_which_config_writes_it(
    home: Path,
) -> None:
    for name, typed in {
        "personal_data": "phone=mask,email=drop",
        "retention": "fact.tau=120,active=8000",
        "private_workspaces": "/a, /b",
        "history_files": "no",
        "archive_days": "1.5",
    }.items():
        assert Shell(home)("config", "set", name, typed).code == 0
        meant = getattr(Settings(**{name: typed}), name)
        assert getattr(Settings.load(home=home), name) == meant
        assert variable_of(name) == f"MEMORIA_{name.upper()}"


EACH = pytest.mark.parametrize("name", FORMER_SETTINGS)
GONE = "this is no setting any more"


@EACH
def test_a_variable_that_was_a_setting_stops_nothing_and_is_named(begun: Shell, name: str) -> None:
    variable = f"MEMORIA_{name.upper()}"
    done = begun("config", "--all", **{variable: "nonsense"})
    assert done.code == 0
    assert done.out.count(f"{variable}: {GONE}") == 1
    assert FORMER_SETTINGS[name] in done.out
    assert name not in Settings.model_fields


@EACH
def test_a_line_of_the_file_that_was_a_setting_stops_nothing_and_is_named(
    home: Path, begun: Shell, name: str
) -> None:
    (home / "settings.toml").write_text(f"archive_days = 3\n{name} = 7\n", "utf-8")
    done = begun("config")
    assert f"settings.toml, line 2: {name}: {GONE}" in done.out
    assert Settings.load(home=home).archive_days == 3


@EACH
def test_setting_one_by_a_script_stops_nothing_and_sets_the_others(
    home: Path, begun: Shell, name: str
) -> None:
    done = begun("config", "set", name, "7", "archive_days", "3")
    assert (done.code, f"note: {name}: {GONE}" in done.err) == (0, True)
    assert name not in (home / "settings.toml").read_text("utf-8")
    assert Settings.load(home=home).archive_days == 3
    alone = begun("config", "set", name, "7")
    assert (alone.code, alone.out) == (0, "Nothing was written.\n")


def test_a_line_that_says_nothing_any_more_can_be_taken_out(home: Path, begun: Shell) -> None:
    (home / "settings.toml").write_text("lease_ms = 7\narchive_days = 3\n", "utf-8")
    assert begun("config", "unset", "lease_ms").code == 0
    assert (home / "settings.toml").read_text("utf-8") == "archive_days = 3\n"


def test_commands_and_doctor_say_so_too(begun: Shell) -> None:
    searched = begun("search", "anything", MEMORIA_LEASE_MS="7")
    assert searched.code == 0
    assert searched.err.count(f"MEMORIA_LEASE_MS: {GONE}") == 1
    looked = begun("doctor", "--json", MEMORIA_LEASE_MS="7").document["findings"]
    (finding,) = (one for one in looked if one["check"] == "settings")
    assert finding["state"] == "warning"
    assert GONE in finding["detail"]


@EACH
def test_a_program_that_sets_one_is_told_why_it_can_not(name: str) -> None:
    with pytest.raises(InvalidInputError, match=f"MEMORIA_{name.upper()}: {GONE}"):
        Settings.from_values(**{name: 7})


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql:///memoria?host=/run/postgresql", None),
        ("postgres://ann@db.example.com,db2:5433/memoria?sslmode=verify-full", None),
        ("postgresql://ann:p%40s#s?pear@db/memoria", "postgresql://ann@db/memoria"),
        ("postgresql://db/m?sslpassword=pear&user=ann", "postgresql://db/m?user=ann"),
        ("postgresql://db/m?password=pear", "postgresql://db/m"),
    ],
)
def test_the_database_is_shown_and_its_password_never(
    shell: Shell, url: str, shown: str | None
) -> None:
    assert _held(shell, "database_url", MEMORIA_DATABASE_URL=url)["value"] == (shown or url)
    assert Settings(database_url=url).shown_database == f"the database {shown or url}"
    assert "pear" not in repr(Settings(database_url=url))


@pytest.mark.parametrize(
    "url", ["mysql://ann:pear@db/m", "host=db password=pear", "postgresql://ann:pe/ar@db/m", "//["]
)
def test_what_is_no_url_of_a_database_is_refused_and_not_shown(shell: Shell, url: str) -> None:
    done = shell("search", "tea", MEMORIA_DATABASE_URL=url)
    assert done.code == 1
    assert "MEMORIA_DATABASE_URL: write a URL such as postgresql://" in done.err
    assert "pear" not in done.err
    assert _held(shell, "database_url", MEMORIA_DATABASE_URL=url)["value"] == "(hidden)"


def test_a_file_of_settings_cannot_say_which_database_keeps_the_memory(shell: Shell) -> None:
    refused = shell("config", "set", "database_url", "postgresql:///memoria")
    assert refused.code == 1
    assert "MEMORIA_DATABASE_URL; a file can't say it" in refused.err


def test_one_database_and_a_home_for_each_tenant_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="MEMORIA_HOMES gives each tenant a file"):
        Settings(homes=tmp_path, database_url="postgresql:///memoria")

"""Sessions in which memory was silent: who is, what is noted of them, what the record shows."""

from pathlib import Path

import pytest

import memoria
from memoria import Memoria, Settings
from memoria.bare.settings_file import SettingsFileError, find_silent_share
from memoria.bare.silence import is_silent, note_session, read_sessions
from memoria.model.provenance import hook_channel

SESSIONS = [f"session-{n}" for n in range(2_000)]
SHARE = 0.2


@pytest.fixture
def chosen(home: Path) -> Settings:
    return Settings.from_values(home=home, embedder="off", silent_share=SHARE)


async def run(m: Memoria, session: str, command: str, *, fails: bool, place: str = "shop") -> None:
    """Record a session of Claude Code in which one command was run."""
    result = {"is_error": True, "content": "Exit code 1\nError: no lockfile"} if fails else "ok"
    turn = {"role": "tool", "tool_name": "Bash", "tool_args": {"command": command}}
    await m.with_channel(hook_channel("claude-code")).record_conversation(
        [{**turn, "tool_result": result}], "session_end", session_id=session, workspace=place
    )


def test_about_the_share_of_sessions_is_silent_and_each_stays_what_it_is() -> None:
    silent = [one for one in SESSIONS if is_silent(one, SHARE)]
    assert abs(len(silent) / len(SESSIONS) - SHARE) < 0.03
    assert silent == [one for one in SESSIONS if is_silent(one, SHARE)]
    assert {*silent} < {one for one in SESSIONS if is_silent(one, 2 * SHARE)}
    assert not any(is_silent(one, 0) for one in SESSIONS)


@pytest.mark.parametrize(
    ("text", "share"), [("", 0.0), ("silent_share = 0.25", 0.25), ("# silent_share = 0.25", 0.0)]
)
def test_the_settings_file_names_the_share(tmp_path: Path, text: str, share: float) -> None:
    (tmp_path / "settings.toml").write_text(text, "utf-8")
    assert find_silent_share(str(tmp_path)) == share


def test_the_environment_goes_first_and_what_is_no_number_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "settings.toml").write_text("silent_share = 'often'", "utf-8")
    with pytest.raises(SettingsFileError, match="line 1: silent_share: it is no number"):
        find_silent_share(str(tmp_path))
    monkeypatch.setenv("MEMORIA_SILENT_SHARE", "0.5")
    assert find_silent_share(str(tmp_path)) == 0.5


async def test_sessions_of_both_kinds_are_compared_by_the_failures_that_come_again(
    chosen: Settings, home: Path
) -> None:
    async with memoria.open(settings=chosen) as m:
        await run(m, "first", "npm test", fails=True)
        for n in range(4):
            note_session(str(home), "default", f"told-{n}", "x" * 400, silent=False)
            await run(m, f"told-{n}", "pnpm test", fails=False)
        for n in range(3):
            note_session(str(home), "default", f"silent-{n}", "", silent=True)
            await run(m, f"silent-{n}", "npm test", fails=n > 0)
        report = await m.told.compare_silence()
    told, silent = report.told, report.silent
    assert (told.sessions, told.repeats, told.tokens) == (4, 0, 100)
    assert (silent.sessions, silent.repeats, silent.tokens) == (3, 1, 0)
    assert report.difference is not None
    assert report.difference.value == pytest.approx(-1 / 3)
    assert (report.share, report.missing) == (SHARE, 33)


async def test_sessions_that_were_both_or_that_nobody_noted_are_left_out(
    chosen: Settings, home: Path
) -> None:
    async with memoria.open(settings=chosen) as m:
        for name in ("both", "unnoted"):
            await run(m, name, "npm test", fails=True)
        for silent in (True, False):
            note_session(str(home), "default", "both", "", silent=silent)
        report = await m.told.compare_silence()
    assert (report.told.sessions, report.silent.sessions) == (0, 0)
    assert report.difference is None


async def test_a_tenant_sees_its_own_sessions_alone(chosen: Settings, home: Path) -> None:
    async with memoria.open(settings=chosen) as m:
        note_session(str(home), "default", "s1", "hello", silent=False)
        await run(m, "s1", "npm test", fails=True)
    other = chosen.model_copy(update={"tenant": "lin"})
    async with memoria.open(settings=other) as m:
        note_session(str(home), "lin", "s1", "hello", silent=False)
        assert (await m.told.compare_silence()).told.sessions == 0


async def test_who_forgets_everything_leaves_no_note_of_a_session(
    chosen: Settings, home: Path
) -> None:
    async with memoria.open(settings=chosen) as m:
        note_session(str(home), "default", "s1", "hello", silent=False)
        await run(m, "s1", "npm test", fails=True)
        await m.forget_memory(everything=True)
    assert read_sessions(str(home), "default") == []

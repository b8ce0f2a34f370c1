"""Words before a mistake: said where a call would fail as one did, and silent where in doubt."""

from collections.abc import Sequence

import pytest
from pydantic import JsonValue

from memoria.bare.guard import find_word
from memoria.policy.guard import GuardStep, draw_words, read_step

ROOT = "/home/ann/work/shop"
Told = tuple[str, bool, str]
"""A shell line, whether it failed, and its output."""


def _record(*told: Told | str | dict[str, str], session: str = "s1") -> list[GuardStep]:
    """Steps of a session: lines with their ends, words of the user, edits that worked."""
    steps = [_read(one, n, session) for n, one in enumerate(told)]
    return [one for one in steps if one is not None]


def _read(told: Told | str | dict[str, str], n: int, session: str) -> GuardStep | None:
    named = (f"{session}-{n:02}", n, session)
    if isinstance(told, str):
        return read_step(*named, None, None, None, said=told)
    if isinstance(told, dict):
        args: dict[str, JsonValue] = {**told}
        done: JsonValue = {"content": "", "is_error": False}
        return read_step(*named, "Edit", args, done, root=ROOT)
    line, failed, output = told
    result: JsonValue = {
        "content": f"Exit code 1\n{output}" if failed else output,
        "is_error": failed,
    }
    return read_step(*named, "Bash", {"command": line}, result, root=ROOT)


def _say(steps: Sequence[GuardStep], line: str) -> str:
    words = [one.match for one in draw_words(steps)]
    word = find_word(words, "Bash", {"command": line}, ROOT)
    return "" if word is None else str(word["line"])


def _say_of_edit(steps: Sequence[GuardStep], path: str, old: str, new: str) -> str:
    args = {"file_path": path, "old_string": old, "new_string": new}
    word = find_word([one.match for one in draw_words(steps)], "Edit", args, ROOT)
    return "" if word is None else str(word["line"])


BUILD = _record(
    ("pnpm build", True, "FATAL ERROR: Reached heap limit Allocation failed"),
    ("NODE_OPTIONS=--max-old-space-size=6144 pnpm build", False, "built in 41 s"),
)


def test_the_line_says_what_failed_when_why_and_what_worked_with_its_turn() -> None:
    assert _say(BUILD, "pnpm build") == (
        "`pnpm build` failed here on 1970-01-01 (fatal error: reached heap limit allocation failed)"
        "; `NODE_OPTIONS=--max-old-space-size=6144 pnpm build` worked afterwards [s1-01]"
    )


@pytest.mark.parametrize(
    "line",
    [
        f"cd {ROOT} && pnpm build 2>&1 | tail -20",
        "timeout 300 pnpm build",
        "CI=1 pnpm run build",
        "time pnpm build --mode staging",
    ],
)
def test_what_only_surrounds_a_command_changes_nothing(line: str) -> None:
    assert "max-old-space-size" in _say(BUILD, line)


@pytest.mark.parametrize(
    "line",
    [
        "NODE_OPTIONS=--max-old-space-size=4096 pnpm build",
        "export NODE_OPTIONS=--max-old-space-size=8192 && pnpm build",
        "pnpm --filter ui build",
        "cd packages/legacy && pnpm build",
        "pnpm lint",
        "npm run build",
        "echo pnpm build",
    ],
)
def test_what_helped_before_and_what_is_another_command_get_no_word(line: str) -> None:
    assert _say(BUILD, line) == ""


INSTALL = ("npm install zod", True, "npm error Unsupported URL Type workspace:")
TESTS = ("pytest tests/a.py", True, "FAILED tests/a.py::test_sum - assert 3 == 4")


@pytest.mark.parametrize(
    ("told", "line"),
    [
        # The same command worked once the code was mended.
        ([TESTS, {"file_path": "a.py", "old_string": "-", "new_string": "+"},
          ("pytest tests/a.py", False, "1 passed")], "pytest tests/a.py"),
        # After an edit something else may work for that alone.
        ([TESTS, {"file_path": "a.py", "old_string": "-", "new_string": "+"},
          ("python -m pytest tests/a.py", False, "1 passed")], "pytest tests/a.py"),
        # A network that was back.
        ([("git push", True, "fatal: unable to access"), ("git push", False, "ok")], "git push"),
        # Nothing worked.
        ([INSTALL], "npm install zod"),
        # The user or the client stopped it.
        ([("pnpm build", True, "The user doesn't want to proceed with this tool use."),
          ("CI=1 pnpm build", False, "ok")], "pnpm build"),
        # Nothing was found: that is an answer.
        ([("grep -rn lexer src", True, ""), ("grep -rn parser src", False, "src/p.rs:1")],
         "grep -rn lexer src"),
    ],
)  # fmt: skip
def test_what_was_mended_or_was_no_failure_gets_no_word(
    told: list[Told | dict[str, str]], line: str
) -> None:
    assert _say(_record(*told), line) == ""


@pytest.mark.parametrize(
    "since",
    [
        "I have put NODE_OPTIONS into my .bashrc.",
        "pnpm build works without anything now.",
        {"file_path": "package.json", "old_string": "vite", "new_string": "NODE_OPTIONS=x vite"},
        ("echo 'export NODE_OPTIONS=--max-old-space-size=6144' >> .envrc", False, ""),
        ("pnpm build", False, "built in 30 s"),
    ],
)
def test_what_was_said_or_done_since_and_may_have_mended_the_cause_silences(
    since: Told | str | dict[str, str],
) -> None:
    assert _say([*BUILD, *_record(since, session="s2")], "pnpm build") == ""


def test_a_value_that_failed_is_named_and_another_value_is_left_alone() -> None:
    steps = _record(
        ("mysql -h localhost -P 3307 -uwms wms -e 'show tables'", True, "ERROR 2002 (HY000)"),
        ("mysql -h 127.0.0.1 -P 3307 -uwms wms -e 'show tables'", False, "stock"),
    )
    assert "127.0.0.1" in _say(steps, "mysql -uwms -P3307 -hlocalhost wms -e 'desc stock'")
    assert _say(steps, "mysql -h db.internal -P 3307 -uwms wms -e 'desc stock'") == ""


@pytest.mark.parametrize(
    ("failed", "worked", "again", "right"),
    [
        ("npm run build", "nvm use 20 && npm run build", "npm run build 2>&1",
         "nvm use 20 && npm run build"),
        ("pytest -q", ". .venv/bin/activate && pytest -q", "pytest tests/b.py",
         "source .venv/bin/activate && pytest tests/b.py"),
        ("make test", "make test DB=sqlite", "make test -j4", "make test DB=sqlite -j4"),
        ("npx vite --port 3000", "npx vite --port 3107", "npx vite --port 3000 --open",
         "npx vite --port 3200"),
        ("docker ps", "sudo docker ps", "docker ps -a", "sudo docker ps -a"),
        ("python tools/a.py", "python3 tools/a.py", "python tools/b.py", "python3 tools/b.py"),
        ("alembic upgrade head", "alembic upgrade heads", "alembic upgrade head",
         "alembic upgrade core@head"),
    ],
)  # fmt: skip
def test_what_set_up_the_shell_or_was_given_beside_is_what_helped(
    failed: str, worked: str, again: str, right: str
) -> None:
    steps = _record((failed, True, "error: it does not go"), (worked, False, "done"))
    assert f"`{worked}` worked afterwards" in _say(steps, again)
    assert _say(steps, right) == ""


def test_a_failure_of_one_package_tells_nothing_of_another_that_works() -> None:
    steps = _record(
        ("cargo test -p ffi", True, "error: failed to run custom build command for `ffi`"),
        ("LIBCLANG_PATH=/usr/lib/llvm cargo test -p ffi", False, "ok"),
        ("cargo test -p scan", False, "ok"),
    )
    assert "LIBCLANG_PATH" in _say(steps, "cargo test -p ffi -- --nocapture")
    assert _say(steps, "cargo test -p scan") == ""


RULES = "Never run `manage.py flush` here. And leave settings/production.py alone, please."


def test_what_the_user_ruled_out_is_quoted_in_their_words() -> None:
    steps = _record(RULES)
    assert _say(steps, ".venv/bin/python manage.py flush --noinput") == (
        "The user said on 1970-01-01: “Never run `manage.py flush` here. And leave "
        "settings/production.py alone, please.” [s1-00]"
    )
    assert "alone" in _say_of_edit(steps, f"{ROOT}/shop/settings/production.py", "a", "b")
    assert _say_of_edit(steps, f"{ROOT}/shop/settings/base.py", "a", "b") == ""
    assert _say(steps, "cat settings/production.py") == ""
    assert _say(steps, "python manage.py migrate") == ""


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("In the mobile repo we say do not run `git push --force`.", "git push --force"),
        ("I never use `git add -A` myself.", "git add -A"),
        ("Please don't `cargo publish`. (`cargo publish --dry-run` is fine.)",
         "cargo publish --dry-run"),
        ("Use `git add -A`, why not.", "git add -A"),
        ("Don't forget to run `npm run build`.", "npm run build"),
        ("The script never ends when I run `npm run build`.", "npm run build"),
        ("There is no `npm run build` here yet.", "npm run build"),
        ("Why don't you use `npm run build`?", "npm run build"),
        ("Tests don't pass after npm run build.", "npm run build"),
        ("`npm run build` 的结果特别慢,要不要看一下?", "npm run build"),
        ("为什么不能用 `npm run build`？", "npm run build"),
        ("别忘了跑 `npm run build`。", "npm run build"),
        ("哈哈,别像上次那样一直转圈。", "npm run build"),
    ],
)  # fmt: skip
def test_a_rule_of_others_a_remark_and_what_is_allowed_beside_get_no_word(
    said: str, line: str
) -> None:
    assert _say(_record(said), line) == ""


def test_a_later_permission_lifts_what_was_ruled_out_and_a_later_ban_stands() -> None:
    banned = _record("Do not run `cargo update`.", "A full `cargo update` is fine today.")
    assert _say(banned, "cargo update") == ""
    again = _record("`cargo update` is fine.", "No, never run `cargo update`.", session="s3")
    assert "No, never run" in _say(again, "cargo update")


def test_a_ban_in_chinese_is_told_for_the_command_and_the_file_it_names() -> None:
    steps = _record("migrate:fresh 和 db:wipe 都不要跑。", "data/raw 里的录音绝对不能动。")
    assert "migrate:fresh" in _say(steps, "./vendor/bin/sail artisan migrate:fresh --seed")
    assert "data/raw" in _say(steps, "mv data/raw/1.WAV data/raw/1.wav")
    assert _say(steps, "cp data/raw/1.wav data/work/") == ""


UNDONE = _record(
    {"file_path": f"{ROOT}/tsconfig.json", "old_string": '"bundler"', "new_string": '"node16"'},
    ("pnpm tsc", True, "error TS2835: Relative import paths need explicit file extensions"),
    {"file_path": f"{ROOT}/tsconfig.json", "old_string": '"node16"', "new_string": '"bundler"'},
    ("pnpm tsc", False, ""),
)


def test_an_edit_that_broke_the_next_command_and_was_undone_is_told_when_it_comes_back() -> None:
    said = _say_of_edit(UNDONE, "tsconfig.json", 'x: "bundler",', 'x: "node16",')
    assert said.startswith("This edit of `tsconfig.json` was made on 1970-01-01, broke `pnpm tsc`")
    assert '"bundler"' in said
    assert _say_of_edit(UNDONE, "other/tsconfig.base.json", "bundler", "node16") == ""
    assert _say_of_edit(UNDONE, "tsconfig.json", "es2020", "es2022") == ""


def test_every_word_is_one_line() -> None:
    told = "Never run `git push --force`.\n\nReally.\nNot even once."
    steps = _record(told, ("git push\n--x", True, "error:\nno"), ("git push --y", False, "ok"))
    assert draw_words(steps)
    assert all("\n" not in str(one.match["line"]) for one in draw_words(steps))

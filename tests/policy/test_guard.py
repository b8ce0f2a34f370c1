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


BUILD_TOLD = (
    ("pnpm build", True, "FATAL ERROR: Reached heap limit Allocation failed"),
    ("NODE_OPTIONS=--max-old-space-size=6144 pnpm build", False, "built in 41 s"),
)
BUILD = _record(*BUILD_TOLD)


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


@pytest.mark.parametrize(
    ("said", "is_lifted"),
    [
        ("IT installed libssl-dev for me today.", True),
        ("I bumped the wrapper, so it is fine now.", True),
        ("(a new CI container, nothing of my laptop here) Check it.", True),
        ("node 升到 20 了。", True),
        ("代理开了，你再试试。", True),
        ("换了台新电脑，重新来。", True),
        ("Now add a currency column.", False),
        ("Is it installed?", False),
        ("先把登录页的按钮改成蓝色。", False),
        ("继续，上次写到哪了，打开了会白屏。", False),
        ("The value that is raised must be updated.", False),
        ("代理开了吗？", False),
    ],
)
def test_whoever_says_that_the_machine_has_changed_silences_what_failed_on_it_before(
    said: str, *, is_lifted: bool
) -> None:
    assert (_say([*BUILD, *_record(said, session="s2")], "pnpm build") == "") is is_lifted


@pytest.mark.parametrize(
    ("failed", "error", "worked", "since"),
    [
        ("buf lint", "buf: command not found", "bin/buf lint", "brew install bufbuild/buf/buf"),
        ("npm run dev -- --port 5173", "port 5173 is in use", "npm run dev -- --port 5199",
         "fuser -k 5173/tcp"),
        ("make seed", "service 'db' is not running", "make seed DB=sqlite",
         "docker compose up -d db"),
    ],
)  # fmt: skip
def test_what_was_installed_started_or_stopped_since_silences_where_the_error_names_it(
    failed: str, error: str, worked: str, since: str
) -> None:
    steps = _record((failed, True, f"error: {error}"), (worked, False, "done"))
    assert _say(steps, failed) != ""
    assert _say([*steps, *_record((since, False, ""), session="s2")], failed) == ""
    assert _say([*steps, *_record(("brew install jq", False, ""), session="s2")], failed) != ""


@pytest.mark.parametrize(
    ("failed", "error", "worked"),
    [
        ("pod install", "could not find a compatible version", "pod install --repo-update"),
        (
            "helm upgrade web . -n web",
            "namespace not found",
            "helm upgrade web . --create-namespace",
        ),
    ],
)
def test_what_helps_once_for_all_is_no_lesson(failed: str, error: str, worked: str) -> None:
    assert _say(_record((failed, True, f"Error: {error}"), (worked, False, "ok")), failed) == ""


READ = (
    ("python clean.py data/24.csv", True, "UnicodeDecodeError: 'utf-8' codec can't decode"),
    ("python clean.py data/24.csv --encoding latin-1", False, "18204 rows"),
)


def test_a_failure_of_one_file_is_told_for_that_file_until_it_is_written_anew() -> None:
    assert "latin-1" in _say(_record(*READ), "python clean.py ./data/24.csv --quick")
    assert _say(_record(*READ), "python clean.py data/23.csv") == ""
    anew = ("iconv -t utf-8 data/24.csv -o /tmp/a && mv /tmp/a data/24.csv", False, "")
    assert _say(_record(*READ, anew), "python clean.py data/24.csv") == ""


def test_a_path_a_runner_or_a_set_up_before_a_bare_name_makes_another_command_of_it() -> None:
    steps = _record(("rspec", True, "wrong Bundler"), ("bundle exec rspec", False, "ok"))
    assert "bundle exec" in _say(steps, "rspec spec/a.rb")
    assert "bundle exec" in _say(steps, "set -a; . ./.env.test; rspec")
    for line in ("bin/rspec", "mise exec -- rspec", "conda activate a && rspec"):
        assert _say(steps, line) == ""


def test_a_value_that_the_error_names_is_to_blame_whatever_else_is_given() -> None:
    steps = _record(
        ("docker run -p 5432:5432 pg", True, "Bind for 0.0.0.0:5432 failed: port is allocated"),
        ("docker run -e A=b -p 5433:5432 pg", False, "4be1"),
    )
    assert "5433:5432" in _say(steps, "docker run -d -e A=c -p 5432:5432 pg")
    assert _say(steps, "docker run -d -p 5434:5432 pg") == ""


def test_a_shell_of_another_program_around_a_command_is_told_for_that_command_alone() -> None:
    steps = _record(
        ("pio run -t upload", True, "could not open port: Permission denied"),
        ('sg plugdev -c "pio run -t upload"', False, "verified"),
    )
    assert "sg plugdev" in _say(steps, "pio run -t upload")
    assert _say(steps, "pio run") == ""


def test_a_time_out_teaches_once_it_has_come_again() -> None:
    once = _record(
        ("pip install zod", True, "ReadTimeoutError: Read timed out"),
        ("pip install -i https://mirror.example/simple zod", False, "ok"),
    )
    assert _say(once, "pip install zod") == ""
    again = _record(("pip install attrs", True, "ReadTimeoutError: Read timed out"), session="s2")
    assert "mirror.example" in _say([*once, *again], "pip install zod")


def test_what_helps_in_the_next_session_is_told_as_well() -> None:
    failed = _record(("python map.py", True, "ModuleNotFoundError: no module named 'geopandas'"))
    worked = _record(("conda run -n geo python map.py", False, ""), session="s2")
    assert "conda run" in _say([*failed, *worked], "python map.py")


def test_a_value_that_failed_is_named_and_another_value_is_left_alone() -> None:
    steps = _record(
        ("mysql -h localhost -P 3307 -uwms wms -e 'show tables'", True, "ERROR 2002 (HY000)"),
        ("mysql -h 127.0.0.1 -P 3307 -uwms wms -e 'show tables'", False, "stock"),
    )
    assert "127.0.0.1" in _say(steps, "mysql -h localhost -P 3307 -uwms wms -e 'desc stock'")
    assert _say(steps, "mysql -h db.internal -P 3307 -uwms wms -e 'desc stock'") == ""


@pytest.mark.parametrize(
    ("failed", "error", "worked", "again", "right"),
    [
        ("npm run build", "it does not go", "nvm use 20 && npm run build", "npm run build 2>&1",
         "nvm use 20 && npm run build"),
        ("pytest -q", "it does not go", ". .venv/bin/activate && pytest -q", "pytest tests/b.py",
         "source .venv/bin/activate && pytest tests/b.py"),
        ("make test", "it does not go", "make test DB=sqlite", "make test -j4",
         "make test DB=sqlite -j4"),
        ("npx vite --port 3000", "port 3000 is in use", "npx vite --port 3107",
         "npx vite --port 3000 --open", "npx vite --port 3200"),
        ("docker ps", "permission denied", "sudo docker ps", "docker ps -a", "sudo docker ps -a"),
        ("python tools/a.py", "python: command not found", "python3 tools/a.py",
         "python tools/b.py", "python3 tools/b.py"),
        ("alembic upgrade head", "multiple heads for argument 'head'", "alembic upgrade heads",
         "alembic upgrade head", "alembic upgrade core@head"),
        ("git commit -m 'tax'", "a message starts with a ticket", "git commit -m 'ABC-1: tax'",
         "git commit -m 'round half up'", "git commit -m 'ABC-22: round half up'"),
    ],
)  # fmt: skip
def test_what_set_up_the_shell_or_was_given_beside_is_what_helped(
    failed: str, error: str, worked: str, again: str, right: str
) -> None:
    steps = _record((failed, True, f"error: {error}"), (worked, False, "done"))
    assert f"`{worked}` worked afterwards" in _say(steps, again)
    assert _say(steps, right) == ""


SECRET = ("pytest tests/tax.py", True, "KeyError: 'SHOP_SECRET'")
RED = (". ./.env.test && pytest tests/tax.py", True, "1 failed: assert 3 == 4")
FIX = {"file_path": "tax.py", "old_string": "-", "new_string": "+"}
GREEN = (". ./.env.test && pytest tests/tax.py", False, "1 passed")


def test_what_leads_to_another_error_has_helped_though_an_edit_did_the_rest() -> None:
    assert "`. ./.env.test" in _say(_record(SECRET, RED, FIX, GREEN), "pytest tests/cart.py")
    assert _say(_record(SECRET, FIX, GREEN), "pytest tests/cart.py") == ""


def test_what_helped_is_told_for_the_command_that_failed_and_for_no_other_of_its_program() -> None:
    error = "error: could not find `protoc`: set the PROTOC environment variable"
    steps = _record(
        ("cargo test -p wire", True, error), ("PROTOC=bin/protoc cargo test -p wire", False, "ok")
    )
    assert "PROTOC=bin/protoc" in _say(steps, "cargo test --workspace")
    for line in ("cargo fmt", "cd web && cargo test", "PROTOC=/opt/protoc cargo test"):
        assert _say(steps, line) == ""


def test_what_makes_a_program_known_is_told_for_whatever_it_does() -> None:
    steps = _record(
        ("idf.py build", True, "idf.py: command not found"),
        ("source ~/idf/export.sh && idf.py build", False, "done"),
    )
    assert "`source ~/idf/export.sh && idf.py build` worked" in _say(steps, "idf.py size")


def test_a_wrapper_for_what_a_manager_ran_is_not_told_for_its_other_commands() -> None:
    steps = _record(("cargo run", True, "error: no display"), ("xvfb-run -a cargo run", False, ""))
    assert _say(steps, "cargo run")
    assert _say(steps, "cargo build") == ""


def test_the_very_same_line_gets_its_word_where_only_others_have_worked_without_the_means() -> None:
    steps = _record(
        ("cmake -B build", False, "configured"),
        ("cmake --build build", True, "c++: fatal error: Killed signal"),
        ("cmake --build build -j 3", False, "built"),
    )
    assert "`cmake --build build -j 3` worked" in _say(steps, "cmake --build build")
    assert _say(steps, "cmake --install build") == ""


def test_a_log_written_by_what_uses_the_means_lifts_nothing() -> None:
    log = ("NODE_OPTIONS=--max-old-space-size=6144 pnpm build > /tmp/build.log", False, "")
    assert _say(_record(*BUILD_TOLD, log), "pnpm build")


def test_for_the_very_same_line_what_worked_next_is_told_whatever_it_is() -> None:
    steps = _record(
        ("bin/migrate -path migrations up", True, "error: unknown driver"),
        ("make db-up", False, "migrated"),
    )
    assert "`make db-up` worked afterwards" in _say(steps, "bin/migrate -path migrations up")
    assert _say(steps, "bin/migrate -path migrations down") == ""


@pytest.mark.parametrize(
    ("failed", "output", "worked"),
    [
        ("pytest tests/tax.py", "2 failed, 7 passed in 0.4s", "pytest tests/tax.py -k rounding"),
        ("tsc src/a.ts", "src/a.ts(4,31): error TS2304: Cannot find name", "eslint src/a.ts"),
        ("ruff check src", "error: unsorted imports", "ruff check src --fix"),
        ("git commit -m 'tax'", "husky: script ended", "git commit --no-verify -m 'tax'"),
    ],
)  # fmt: skip
def test_what_a_check_has_found_is_no_failure_and_to_go_past_it_no_cure(
    failed: str, output: str, worked: str
) -> None:
    assert _say(_record((failed, True, output), (worked, False, "")), failed) == ""


def test_a_check_that_finds_nothing_by_other_means_and_with_nothing_changed_is_told() -> None:
    found = "FAILED tests/a.py::test_a - database is locked\n2 failed, 10 passed in 8.4s"
    steps = _record(("pytest tests -q", True, found), ("pytest tests -q -n 0", False, "12 passed"))
    assert "`pytest tests -q -n 0` worked afterwards" in _say(steps, "pytest tests -q")
    assert _say(steps, "pytest tests -q -n 1") == ""


def test_a_part_that_works_tells_nothing_of_the_whole() -> None:
    steps = _record(
        ("npx vitest run", True, "Error: worker ran out of memory"),
        ("npx vitest run --no-file-parallelism", False, "ok"),
        ("npx vitest run src/dates.test.ts", False, "ok"),
    )
    assert "--no-file-parallelism" in _say(steps, "npx vitest run")
    assert _say(steps, "npx vitest run src/calendar.test.ts") == ""
    assert _say([*steps, *_record(("npx vitest run", False, "ok"))], "npx vitest run") == ""


def test_a_word_waits_for_the_next_request_in_the_session_whose_agent_has_just_seen_it() -> None:
    first = _record("Build it.", *BUILD_TOLD)
    assert [one.match.get("after") for one in draw_words(first)] == ["s1"]
    asked = [*first, *_record("And the docs?", session="s1")]
    assert [one.match.get("after") for one in draw_words(asked)] == [None]


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
        ("Don't run `npm run build` yet.", "npm run build"),
        ("先别跑 `npm run build`。", "npm run build"),
        ("如果慢就别跑 `npm run build`。", "npm run build"),
        ("`npm run build` 不能用了。", "npm run build"),
    ],
)  # fmt: skip
def test_a_rule_of_others_a_remark_and_what_is_allowed_beside_get_no_word(
    said: str, line: str
) -> None:
    assert _say(_record(said), line) == ""


@pytest.mark.parametrize(
    ("said", "broken", "kept"),
    [
        ("Never push to main here, main deploys.", "git push origin fix:main",
         "git push origin main:release/2"),
        ("You plan: never run terraform apply or destroy.", "cd env && terraform destroy -auto",
         "git commit -m 'CI runs terraform apply'"),
        ("Never run `python3 flush.py` here.", "python3 flush.py", "python3 check.py"),
        ("在这个项目里绝对不要运行 `python3 flush.py`。", "python3 flush.py", "cat flush.py"),
        ("Do not use prod.yaml, not even to read.", "KUBECONFIG=~/.kube/prod.yaml kubectl get pod",
         "KUBECONFIG=~/.kube/perf.yaml kubectl get pod"),
        ("No skipping, no --no-verify ever.", "git commit --no-verify -m x", "git commit -m x"),
        ("Please never use yarn in this repo", "yarn install", "npm install"),
        ("Do not use the --no-verify flag", "git commit --no-verify", "git commit -m flag"),
        ("pkg/client is frozen, nothing changes there.", "sed -i s/a/b/ pkg/client/doc.go",
         "go test ./pkg/client/..."),
        ("Never run 'down -v' or prune on this host.", "docker compose down -v",
         "docker compose down"),
        ("Please never erase flash (-t erase).", "pio run -t erase", "pio run -t clean"),
        ("What is in data/raw is sacred, never write there.", "sed -i s/A/N/ data/raw/a.csv",
         "cp data/raw/a.csv /tmp"),
        ("Context prod-eu is off limits.", "kubectl --context prod-eu get pods",
         "kubectl --context dev-eu get pods"),
        ("dont use --uac-admin in the build", "pyinstaller --uac-admin a.py", "pyinstaller a.py"),
        ("data/raw 是原始数据，千万别往里写。", "sed -i s/A/N/ data/raw/a.csv",
         "cat data/raw/a.csv"),
        ("这里只用 pnpm，别用 npm 也别用 yarn 装东西。", "yarn workspace web add dayjs",
         "npm view dayjs version"),
    ],
)  # fmt: skip
def test_a_rule_is_told_before_what_it_names_and_not_before_what_is_near(
    said: str, broken: str, kept: str
) -> None:
    assert "The user said" in _say(_record(said), broken)
    assert _say(_record(said), kept) == ""


def test_a_later_permission_lifts_what_was_ruled_out_and_a_later_ban_stands() -> None:
    banned = _record("Do not run `cargo update`.", "A full `cargo update` is fine today.")
    assert _say(banned, "cargo update") == ""
    asked = _record("Never push to main.", "Push this one to main, please.")
    assert _say(asked, "git push origin main") == ""
    flag = _record("No --uac-admin ever.", "They want an elevated one: make it with --uac-admin.")
    assert _say(flag, "pyinstaller --uac-admin a.py") == ""
    remark = _record("Never push to main.", "In the mirror a bot pushes with git push to main.")
    assert "Never push" in _say(remark, "git push origin main")
    again = _record("`cargo update` is fine.", "No, never run `cargo update`.", session="s3")
    assert "No, never run" in _say(again, "cargo update")


def test_where_new_files_are_asked_for_only_a_change_of_one_gets_a_word() -> None:
    steps = _record("Never edit the migrations, add a new file.")
    assert _say_of_edit(steps, f"{ROOT}/migrations/V2.sql", "", "create table b ();") == ""
    assert _say_of_edit(steps, f"{ROOT}/migrations/V1.sql", "int", "bigint")


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

"""A shell line is known by its command, whatever stands around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.language.calls.command import (
    command_key,
    exact_key,
    read_command,
    read_commands,
    shell_text,
)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("npm test", "npm test"),
        ("cd web && npm test 2>&1 | tail -20", "npm test"),
        ("npm run test", "npm test"),
        ("pnpm --filter web test", "pnpm test"),
        ("yarn workspace web test", "yarn test"),
        ("FOO=1 timeout 60 pytest tests/a.py -x", "pytest"),
        ("uv run --with x python3.12 -m pytest tests", "pytest"),
        (".venv/bin/python manage.py migrate --fake", "python manage.py migrate"),
        ("docker-compose -f x.yml up -d", "docker compose up"),
        ("docker compose -f x.yml up -d", "docker compose up"),
        ("sudo -u postgres psql -c 'select 1'", "psql"),
        ("cargo +nightly test --lib", "cargo test"),
        ("git -C sub push --force origin main", "git push"),
        ("bash -lc 'cd x && make -j4 test'", "make test"),
        ("./gradlew :app:test --info", "gradle :app:test"),
        ("echo y | npm init", "npm init"),
        ("npm install && npm test", "npm test"),
        ("pytest; echo $?", "pytest"),
        ("for i in 1 2; do curl x; done", "curl"),
        ("cat > a.py <<'EOF'\nnpm test\nEOF\npython a.py", "python a.py"),
        ("npx prisma migrate dev --name x", "prisma migrate dev"),
        ("grep -rn foo src", "grep"),
        ("", ""),
        ("'open quote", ""),
    ],
)
def test_two_runs_of_one_command_share_a_key(line: str, key: str) -> None:
    assert command_key(line) == key


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("npm test 2>&1 | tail -5", "npm   test", True),
        ("timeout 60 npm test", "npm test", True),
        ("cd /home/ann/x && npm test", "npm test", True),
        ("cd web && npm test", "npm test", False),
        ("cd /home/ann/x/web && npm test", "cd web && npm test", True),
        ("PORT=1 npm start", "npm start", False),
        ("sudo docker ps", "docker ps", False),
        ("uv run pytest", "pytest", False),
        ("pytest -x", "pytest", False),
    ],
)
def test_an_exact_key_leaves_out_only_what_surrounds_a_command(
    one: str, other: str, *, same: bool
) -> None:
    assert (exact_key(one, "/home/ann/x") == exact_key(other, "/home/ann/x")) is same


def test_a_command_is_taken_apart() -> None:
    command = read_command("cd web && CI=1 sudo npm run build -- --mode staging > out.log")
    assert command is not None
    assert (command.program, command.subcommands) == ("npm", ("build",))
    assert (command.folder, command.environment, command.runner) == ("web", ("CI=1",), "sudo")
    assert (command.flags, command.arguments) == (("--", "--mode"), ("staging",))
    assert command.targets == ("out.log",)


def test_what_an_exit_code_says_of_each_command_of_a_line_is_known() -> None:
    install, test = read_commands("npm install && npm test | tail")
    assert (install.is_decisive, install.is_masked) == (False, False)
    assert (test.is_decisive, test.is_masked) == (True, True)


@pytest.mark.parametrize(
    ("name", "args", "line"),
    [
        ("Bash", {"command": "ls"}, "ls"),
        ("shell", {"command": ["bash", "-lc", "ls -l"]}, "ls -l"),
        ("shell", {"command": ["git", "commit", "-m", "two words"]}, "git commit -m 'two words'"),
        ("exec_command", {"cmd": "ls"}, "ls"),
        ("run_shell_command", {"command": "ls"}, "ls"),
        ("Read", {"file_path": "a.py"}, None),
        ("str_replace_based_edit_tool", {"command": "view", "path": "a.py"}, None),
        ("Bash", None, None),
    ],
)
def test_the_line_of_a_call_is_found_in_each_clients_form(
    name: str, args: dict[str, object] | None, line: str | None
) -> None:
    assert shell_text(name, args) == line  # JSON, as a client gives it


@given(st.text(alphabet="ab -'\"|&;<>()$`\\\n=/.#", max_size=60))
def test_any_line_is_read_without_fail(line: str) -> None:
    for command in read_commands(line):
        assert command.program
        assert command.exact_key("/x") is not None

"""What is bound is told unchanged while it stands, wherever it went, and changed once it is not."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.ground.made import Made

from memoria.ground.binding import MOST_PARTS, bind
from memoria.ground.repository import UnreadableRepositoryError
from memoria.ground.states import check
from memoria.ground.values import GroundState
from memoria.model.search import ToolCall

RETRY = '''"""When to try again."""
import random

MAX_WAIT = 900
TRIES = 5


def wait_seconds(attempt):
    """Exponential, capped."""
    base = 2 ** attempt
    return min(base, MAX_WAIT)


def give_up(attempt):
    if attempt >= TRIES:
        return True
    return False
'''
TABLES = """create table orders (
    id bigint primary key,
    status varchar(20) not null,
    total integer not null,
    created timestamptz default now()
);
"""


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path / "checkout")


def tell(
    made: Made,
    before: Mapping[str, str],
    statement: str,
    *after: Mapping[str, str],
    calls: tuple[ToolCall, ...] = (),
) -> tuple[GroundState, int, str | None]:
    """Return what is told of a statement that was bound before some commits."""
    made.commit(before)
    repository = made.open()
    bindings = bind(statement, calls, repository)
    assert bindings
    for files in after:
        made.commit(files)
    found = check(bindings, made.open())
    return found.state, found.commits, found.path


class Case(NamedTuple):
    """A file, a statement of it, and what the file becomes."""

    path: str
    text: str
    statement: str
    now: str
    state: GroundState


STAYS, MOVES = GroundState.UNCHANGED, GroundState.CHANGED
CASES = {
    "value": Case("retry.py", RETRY, "MAX_WAIT is 900.", RETRY.replace("900", "600"), MOVES),
    "value beside it": Case("retry.py", RETRY, "MAX_WAIT is 900.", RETRY.replace("5", "9"), STAYS),
    "value that goes on": Case(
        "retry.py", RETRY, "MAX_WAIT is 900.", RETRY.replace("= 900", "= 900 * 60"), MOVES
    ),
    "body of what is named": Case(
        "retry.py",
        RETRY,
        "wait_seconds() doubles with each attempt.",
        RETRY.replace("2 **", "3 **"),
        MOVES,
    ),
    "indentation and comments": Case(
        "retry.py",
        RETRY,
        "wait_seconds() is min(base, MAX_WAIT).",
        RETRY.replace(
            "    return min(base, MAX_WAIT)", "  return min(  # at most\n base, MAX_WAIT)"
        ),
        STAYS,
    ),
    "quotes and commas": Case(
        "app.ts",
        "export const theme = { colour: 'green', size: 12 };\n",
        "The theme is `colour: 'green'`, size 12.",
        'export const theme = {\n  colour: "green",\n  size: 12,\n};\n',
        STAYS,
    ),
    "what hangs on a condition": Case(
        "retry.py",
        RETRY,
        "`attempt >= TRIES` gives up.",
        RETRY.replace("return True", "return ask()"),
        MOVES,
    ),
    "key of its section": Case(
        "compose.yml",
        "services:\n  api:\n    replicas: 2\n  web:\n    replicas: 3\n",
        "The web service has replicas: 3.",
        "services:\n  api:\n    replicas: 3\n  web:\n    replicas: 2\n",
        MOVES,
    ),
    "wrapped prose": Case(
        "README.md",
        "# Use\n\nEvery commit needs a ticket number,\nand a test.\n",
        "Every commit needs a ticket number and a test.",
        "# Use\n\nEvery commit\nneeds a ticket\nnumber, and a test.\n",
        STAYS,
    ),
    "reversed prose": Case(
        "README.md",
        "# Use\n\nEvery commit needs a ticket number.\n",
        "Every commit needs a ticket number.",
        "# Use\n\nNo commit needs a ticket number.\n",
        MOVES,
    ),
    "chinese prose": Case(
        "README.md",
        "# 约定\n\n- 金额一律用分，类型是 int。\n- 提交信息用中文。\n",
        "金额一律用分，类型 int。",
        "# 约定\n\n- 金额一律用元，类型是 Decimal。\n- 提交信息用中文。\n",
        MOVES,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_part_is_told_changed_only_if_it_says_something_else(made: Made, name: str) -> None:
    case = CASES[name]
    state, commits, path = tell(
        made,
        {case.path: case.text, "b.txt": "b"},
        case.statement,
        {case.path: case.now, "b.txt": "b"},
    )
    assert (state, commits, path) == (case.state, int(case.state is MOVES), case.path)


def test_a_renamed_file_is_followed(made: Made) -> None:
    moved = {"src/tools/again.py": RETRY}
    told = tell(made, {"retry.py": RETRY}, "MAX_WAIT in retry.py is 900.", moved)
    assert told == (STAYS, 0, "src/tools/again.py")


def test_what_moved_to_another_file_is_unchanged_unless_its_file_was_told(made: Made) -> None:
    rest = "def give_up(attempt):\n    return attempt >= 5\n"
    after = {"retry.py": rest, "limits.py": "import os\n\nMAX_WAIT = 900\n" + RETRY[60:]}
    told = tell(made, {"retry.py": RETRY}, "MAX_WAIT is 900.", after)
    assert told == (STAYS, 0, "limits.py")
    placed = tell(made, {"retry.py": RETRY}, "MAX_WAIT is set in retry.py.", after)
    assert placed[0] is not STAYS


def test_what_was_deleted_is_gone_and_what_was_reverted_is_unchanged(made: Made) -> None:
    without = {"b.txt": "b"}
    told = tell(made, {"retry.py": RETRY, **without}, "MAX_WAIT is 900.", without)
    assert told == (GroundState.GONE, 1, None)
    again = tell(made, {"retry.py": RETRY, **without}, "TRIES is 5.", without, {"retry.py": RETRY})
    assert again == (STAYS, 0, "retry.py")


def test_commits_are_counted_by_those_that_changed_the_file(made: Made) -> None:
    steps = [{"retry.py": RETRY.replace("900", str(number)), "b.txt": "b"} for number in (1, 2, 3)]
    others = [{**steps[-1], "b.txt": "c"}]
    told = tell(made, {"retry.py": RETRY, "b.txt": "b"}, "MAX_WAIT is 900.", *steps, *others)
    assert told == (MOVES, 3, "retry.py")


def test_what_is_not_committed_counts(made: Made) -> None:
    made.commit({"retry.py": RETRY})
    bindings = bind("MAX_WAIT is 900.", (), made.open())
    (made.folder / "retry.py").write_text(RETRY.replace("900", "60"))
    found = check(bindings, made.open())
    assert (found.state, found.commits) == (MOVES, 0)


def test_a_setting_that_another_file_comes_to_override_has_changed(made: Made) -> None:
    header = {"ring.h": "#define MAX_FRAME 4096\n", "Makefile": "CFLAGS = -O2\n"}
    after = {**header, "Makefile": "CFLAGS = -O2 -DMAX_FRAME=16384\n"}
    assert tell(made, header, "MAX_FRAME is 4096 bytes.", after)[0] is MOVES
    other = {**header, "other.c": "static int MAX_FRAME = 3;\n"}
    assert tell(made, header, "MAX_FRAME is 4096 bytes.", other)[0] is STAYS


def test_a_later_migration_of_the_same_column_changes_what_was_true(made: Made) -> None:
    before = {"db/0001_orders.sql": TABLES}
    later = "alter table {} alter column {} type text;\n"
    other = {**before, "db/0002_more.sql": later.format("orders", "total")}
    same = {**before, "db/0003_status.sql": later.format("orders", "status")}
    statement = "orders.status is varchar(20), not null."
    assert tell(made, before, statement, other)[0] is STAYS
    assert tell(made, before, statement, same)[0] is MOVES


def test_the_former_check_stands_while_head_and_files_do(made: Made) -> None:
    made.commit({"retry.py": RETRY})
    bindings = bind("MAX_WAIT is 900.", (), made.open())
    first = check(bindings, made.open())
    assert check(bindings, made.open(), first) is first
    (made.folder / "retry.py").write_text(RETRY.replace("900", "6000"))
    assert check(bindings, made.open(), first).state is MOVES


def test_a_call_tells_which_of_two_like_parts_is_meant(made: Made) -> None:
    files = {"a/retry.py": RETRY, "b/again.py": RETRY}
    shown = ToolCall(
        name="Read", args={"file_path": "/home/ann/x/b/again.py"}, result="     4\tMAX_WAIT = 900"
    )
    changed = {**files, "b/again.py": RETRY.replace("900", "1")}
    assert tell(made, files, "MAX_WAIT is 900.", changed, calls=(shown,))[0] is MOVES


@pytest.mark.parametrize(
    "statement",
    ["Ann wants short commit subjects.", "吴楠喜欢先写测试。", "", "We meet on Mondays at nine."],
)
def test_what_speaks_of_nothing_in_the_repository_is_not_bound(made: Made, statement: str) -> None:
    made.commit({"retry.py": RETRY, "README.md": "# Mail\n\nSends mail over SMTP relays.\n"})
    assert bind(statement, (), made.open()) == ()


def test_a_statement_is_bound_to_few_parts(made: Made) -> None:
    lines = "".join(f"wait(MAX_WAIT, {number})\n" for number in range(200))
    made.commit({"waits.py": lines})
    assert 0 < len(bind("wait() is given MAX_WAIT.", (), made.open())) <= MOST_PARTS


def test_nothing_is_bound_in_a_repository_without_commits(made: Made) -> None:
    (made.folder / "retry.py").write_text(RETRY)
    assert bind("MAX_WAIT is 900.", (), made.open()) == ()


def test_a_commit_that_is_no_longer_there_is_told_rather_than_guessed(made: Made) -> None:
    made.commit({"retry.py": RETRY})
    bindings = bind("MAX_WAIT is 900.", (), made.open())
    made.find_object(made.commits[0]).unlink()
    made.commits.clear()
    made.commit({"retry.py": RETRY.replace("900", "1")})
    with pytest.raises(UnreadableRepositoryError):
        check(bindings, made.open())


RULES = "# Rules\n\n- `views/` and `jobs/` are run each time.\n"
VIEW = {"views/open.sql": TABLES, "jobs/nightly.sql": "select 1;\n"}
LIMITS = "".join(f"export const MOST_{name} = 12;\n" for name in ("PAGES", "FILES", "LINKS"))
STATED = "The views and jobs are run each time."


def test_a_part_that_names_a_file_which_moved_further_down_is_unchanged(made: Made) -> None:
    below = {f"src/{path}": text for path, text in VIEW.items()}
    rules = RULES.replace("views/", "src/views/").replace("jobs/", "src/jobs/")
    told = tell(made, {"README.md": RULES, **VIEW}, STATED, {"README.md": rules, **below})
    assert told[0] == "unchanged"


def test_a_part_that_names_a_folder_by_another_name_has_changed(made: Made) -> None:
    other = {path.replace("views/", "shown/"): text for path, text in VIEW.items()}
    rules = RULES.replace("views/", "shown/")
    told = tell(made, {"README.md": RULES, **VIEW}, STATED, {"README.md": rules, **other})
    assert told[0] == "changed"


def test_a_part_that_names_a_moved_file_has_changed_where_the_statement_says_its_place(
    made: Made,
) -> None:
    below = {f"src/{path}": text for path, text in VIEW.items()}
    rules = RULES.replace("views/", "src/views/")
    statement = "What is run each time is in views/ and jobs/."
    told = tell(made, {"README.md": RULES, **VIEW}, statement, {"README.md": rules, **below})
    assert told[0] == "changed"


def test_a_setting_in_files_that_only_moved_is_not_overridden(made: Made) -> None:
    kept = {f"envs/{name}.yml": f"backup_days: {days}\n" for name, days in (("a", 3), ("b", 14))}
    moved = {path.replace("envs", "live"): text for path, text in kept.items()}
    told = tell(made, kept, "backup_days of b is 14.", moved)
    assert told == ("unchanged", 0, "live/b.yml")


def test_a_value_that_changed_with_a_move_is_not_found_in_another_file_that_moved(
    made: Made,
) -> None:
    before = {
        "packages/core/limits.js": "export const TIMEOUT = 8000;\n" + LIMITS,
        "packages/web/index.js": "const TIMEOUT = 8000;\nexport const go = () => TIMEOUT;\n",
    }
    after = {path.replace("packages", "libs"): text for path, text in before.items()}
    after["libs/core/limits.js"] = after["libs/core/limits.js"].replace("8000", "9000")
    path = "packages/core/limits.js"
    shown = ToolCall(name="Read", args={"file_path": path}, result=before[path])
    told = tell(made, before, "core exports TIMEOUT = 8000.", after, calls=(shown,))
    assert told[0] == "changed"


def test_a_list_of_packages_is_bound_by_its_lines(made: Made) -> None:
    listed = "gunicorn==21.2.0\nflask==3.0.0\nredis==5.0.1\n"
    raised = listed.replace("21.2.0", "22.0.0")
    told = tell(made, {"requirements.txt": listed}, "flask is 3.0.0.", {"requirements.txt": raised})
    assert told[0] == "unchanged"


def test_what_only_uses_a_bound_name_may_change(made: Made) -> None:
    before = {"press.rb": "PER_FEED = 5\n\ndef pick(url)\n  fresh(url).first(PER_FEED)\nend\n"}
    after = {"press.rb": before["press.rb"].replace("fresh(url)", "entries(url)")}
    told = tell(made, before, "At most five entries are taken (PER_FEED).", after)
    assert told[0] == "unchanged"


def test_a_layer_of_settings_that_comes_to_set_the_same_place_changes_it(made: Made) -> None:
    base = "services:\n  cache:\n    command: redis-server --maxmemory 256mb\n    image: redis\n"
    layer = base.replace("256mb", "1gb")
    other = layer.replace("cache:", "queue:")
    statement = "The cache in compose.yml has 256mb."
    told = tell(
        made,
        {"compose.yml": base},
        statement,
        {"compose.yml": base, "compose.other.yml": other},
        {"compose.yml": base, "compose.prod.yml": layer},
    )
    assert told[0] == "changed"
    made.commit({"compose.yml": base})
    told = tell(
        made, {"compose.yml": base}, statement, {"compose.yml": base, "compose.other.yml": other}
    )
    assert told[0] == "unchanged"

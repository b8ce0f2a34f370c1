"""What a statement says of places, of what is not there, and of decisions is followed, too."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.ground.made import Made

from memoria.ground.anchors import list_terms
from memoria.ground.binding import bind
from memoria.ground.blocks import find_name
from memoria.ground.states import check
from memoria.ground.values import GroundState
from memoria.model.search import ToolCall

STAYS, CHANGED, GONE = GroundState.UNCHANGED, GroundState.CHANGED, GroundState.GONE
GUIDE = "# Failover\n\n1. Check that the standby is healthy.\n2. Reboot with failover.\n"
MAIN = "import decode\n\n\ndef main(path):\n    return decode.open_limited(path, 512)\n"
DECODE = "def open_limited(path, most):\n    return read(path)[:most]\n"
OTHER = "def thumb(path):\n    return decode.open_limited(path, 64)\n"
STEPS = """jobs:
  apply:
    steps:
      - run: make apply ENV=prod
"""
WAY = "docs/adr/0003-one-queue.md"
DECISION = "# One queue\n\n{}We keep jobs in one queue in Postgres, so that nobody runs a broker.\n"
SAID = "Jobs are kept in one queue in Postgres (ADR 3), so that nobody has to run a broker."


def tell(
    folder: Path, before: Mapping[str, str], statement: str, after: Mapping[str, str]
) -> GroundState:
    """Return the state of a statement that was bound before a commit."""
    made = Made(folder / "checkout")
    made.commit(before)
    repository = made.open()
    bindings = bind(statement, (), repository)
    assert bindings
    assert check(bindings, repository).state is STAYS
    made.commit(after)
    return check(bindings, repository).state


@pytest.mark.parametrize(
    ("after", "state"),
    [
        ({"docs/failover.md": GUIDE + "3. Tell everybody.\n"}, STAYS),
        ({"handbook/docs/failover.md": GUIDE}, STAYS),
        ({"db/RUNBOOK.md": GUIDE}, CHANGED),
        ({"README.md": "# Shop\n"}, GONE),
    ],
)
def test_a_statement_of_a_place_holds_while_that_path_is_there(
    tmp_path: Path, after: Mapping[str, str], state: GroundState
) -> None:
    before = {"docs/failover.md": GUIDE, "main.py": MAIN}
    said = "The runbook for failover is docs/failover.md."
    assert tell(tmp_path, before, said, {"main.py": MAIN, **after}) is state


@pytest.mark.parametrize(
    ("after", "state"),
    [({"legacy/old.py": OTHER, "legacy/older.py": DECODE}, STAYS), ({"attic/old.py": OTHER}, GONE)],
)
def test_a_statement_of_a_folder_alone_holds_while_the_folder_is_there(
    tmp_path: Path, after: Mapping[str, str], state: GroundState
) -> None:
    before = {"legacy/old.py": OTHER, "main.py": MAIN}
    said = "Whatever waits for its removal lies in legacy/."
    assert tell(tmp_path, before, said, {"main.py": MAIN, **after}) is state


def test_a_path_that_a_statement_gives_beside_a_name_is_followed_too(tmp_path: Path) -> None:
    before = {"web/api.py": MAIN, "README.md": "# Shop\n"}
    said = "Images are opened by open_limited() in web/api.py."
    moved = {"client/index.py": MAIN, "README.md": "# Shop\n"}
    assert tell(tmp_path, before, said, moved) is CHANGED


def test_a_folder_in_which_nothing_is_left_is_gone(tmp_path: Path) -> None:
    made = Made(tmp_path / "checkout")
    made.commit({"legacy/old.py": OTHER, "main.py": MAIN})
    repository = made.open()
    bindings = bind("Whatever waits for its removal lies in legacy/.", (), repository)
    (made.folder / "legacy" / "old.py").unlink()
    assert check(bindings, repository).state is GONE


@pytest.mark.parametrize(
    ("after", "state"),
    [
        ({}, STAYS),
        ({"thumb.py": "def thumb(path):\n    pass\n"}, STAYS),
        ({"t.py": OTHER}, CHANGED),
    ],
)
def test_that_only_one_place_calls_something_changes_with_a_second_call(
    tmp_path: Path, after: Mapping[str, str], state: GroundState
) -> None:
    before = {"main.py": MAIN, "decode.py": DECODE}
    said = "open_limited is called in main alone, and nowhere else."
    assert tell(tmp_path, before, said, {**before, **after}) is state


def test_that_nothing_else_is_done_in_a_file_changes_with_what_is_added(tmp_path: Path) -> None:
    more = STEPS.replace(
        "  apply:", "  staging:\n    steps:\n      - run: make apply ENV=s\n  apply:"
    )
    said = "CI applies only prod, staging is applied by hand."
    assert tell(tmp_path, {"ci.yml": STEPS}, said, {"ci.yml": more}) is CHANGED
    said = "CI runs `make apply ENV=prod`."
    assert tell(tmp_path / "2", {"ci.yml": STEPS}, said, {"ci.yml": more}) is STAYS


def test_a_line_of_code_that_left_its_function_has_changed(tmp_path: Path) -> None:
    before = (
        "def routes(app):\n    app.handle('/metrics', metrics())\n    app.handle('/', home())\n"
    )
    after = (
        "def routes(app):\n    app.handle('/', home())\n\n\ndef own(app):\n" + before.split("\n")[1]
    )
    said = "routes() serves /metrics on the port of the others."
    assert tell(tmp_path, {"routes.py": before}, said, {"routes.py": after}) is CHANGED


@pytest.mark.parametrize(
    ("path", "open_with", "close_with", "line"),
    [
        ("router.ex", 'scope "{}", Web do', "end", 'delete "/devices/:id", Devices, :delete'),
        ("routes.js", "app.group('{}', () => {{", "})", "drop('/devices/:id', devices.drop)"),
    ],
)
def test_a_line_that_left_its_group_of_routes_has_changed(
    tmp_path: Path, path: str, open_with: str, close_with: str, line: str
) -> None:
    def write(api: str, admin: str) -> dict[str, str]:
        groups = {"/api": f"get('/up', up)\n  {api}", "/admin": f"get('/all', all)\n  {admin}"}
        blocks = [f"{open_with.format(at)}\n  {has}\n{close_with}" for at, has in groups.items()]
        return {path: "\n".join((*blocks, ""))}

    said = "DELETE /devices/:id drops a device without a role."
    assert tell(tmp_path, write(line, ""), said, write("", line)) is CHANGED
    assert tell(tmp_path / "2", write(line, ""), said, write(f"{line}\n", "")) is STAYS


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('scope "/admin", Web do', "/admin"),
        ("namespace :admin do |routes|", "admin"),
        ("it('says no', async () => {", "says no"),
        ('resource "aws_db" "this" {', "aws_db this"),
        ('def fetch(url, mode="fast"):', "fetch"),
        ("fn join(one: &'a str, other: &'a str) {", "join"),
        ('def row(%{"ts" => ts}) do', "row"),
    ],
)
def test_a_block_has_a_name_that_tells_it_from_its_like(header: str, name: str) -> None:
    assert find_name(header) == name


def test_a_name_that_stands_at_many_places_may_stand_at_one_more(tmp_path: Path) -> None:
    store = "def keep(row):\n    insert('readings', row, on_conflict='nothing')\n"
    many = "".join(f"def use_{one}(device_id):\n    pass\n" for one in range(6))
    said = "Rows with a known device_id are dropped by on_conflict, nothing else happens."
    before = {"store.py": store, "uses.py": many}
    after = before | {"more.py": "def more(device_id):\n    pass\n"}
    assert tell(tmp_path, before, said, after) is STAYS


def test_a_document_that_says_only_does_not_bind_code_that_shares_a_word(tmp_path: Path) -> None:
    runbook = "# Settlement failed\n\nRerun the settlement job only after finance confirms.\n"
    before = {"docs/runbook.md": runbook, "ci.yml": "jobs:\n  build:\n    - run: make\n"}
    after = before | {"ci.yml": before["ci.yml"] + "  settlement job:\n    - run: job\n"}
    said = "Rerun the settlement job only after finance confirms."
    assert tell(tmp_path, before, said, after) is STAYS


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Status: accepted\n\n", "Status: superseded by ADR 7\n\n"),
        ("---\nstatus: accepted\ndate: 2026-01-02\n---\n\n", "---\nstatus: rejected\n---\n\n"),
        ("## Status\n\nAccepted\n\n## Decision\n\n", "## Status\n\nDropped\n\n## Decision\n\n"),
        ("", "> Superseded by [ADR 7](0007-broker.md)\n\n"),
        ("", "**已废弃**,见 ADR 7。\n\n"),
    ],
)
def test_a_decision_that_says_that_it_holds_no_longer_has_changed(
    tmp_path: Path, before: str, after: str
) -> None:
    was, now = {WAY: DECISION.format(before)}, {WAY: DECISION.format(after)}
    assert tell(tmp_path, was, SAID, now) is CHANGED


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("Supersedes ADR 3: jobs go to a broker.", CHANGED),
        ("取代 ADR-0003。", CHANGED),
        ("Supersedes ADR 2.", STAYS),
        ("See ADR 3 for jobs.", STAYS),
    ],
)
def test_a_decision_has_changed_once_another_says_that_it_supersedes_it(
    tmp_path: Path, said: str, state: GroundState
) -> None:
    before = {WAY: DECISION.format("Status: accepted\n\n")}
    later = {"docs/adr/0007-broker.md": f"# A broker\n\n{said}\n"}
    assert tell(tmp_path, before, SAID, before | later) is state


def test_a_list_of_decisions_ends_none_that_it_names(tmp_path: Path) -> None:
    before = {WAY: DECISION.format("Status: accepted (supersedes ADR 1)\n\n")}
    index = {"docs/adr/index.md": "# Index\n\n- 0001 Cron (superseded by 0003)\n- 0003 Queue\n"}
    assert tell(tmp_path, before, SAID, before | index) is STAYS


def test_only_the_decision_that_a_statement_numbers_counts(tmp_path: Path) -> None:
    other = "docs/adr/0002-broker.md"
    text = DECISION.format("Status: {}\n\n")
    own = {WAY: text.format("accepted")}
    before = own | {other: text.format("accepted")}
    after = own | {other: text.format("superseded by ADR 9")}
    assert tell(tmp_path, before, f"ADR 0003: {SAID}", after) is STAYS
    assert tell(tmp_path / "2", before, f"ADR 0002: {SAID}", after) is CHANGED


def test_numbers_of_any_length_are_read() -> None:
    for text in ("0x" + "f" * 5_000, "9" * 5_000 + " seconds", "百万" * 3_000):
        list_terms(text)
    assert "#255" in list_terms("MASK = 0xff")


def test_a_wish_that_shares_a_word_with_code_by_chance_is_bound_to_nothing(tmp_path: Path) -> None:
    made = Made(tmp_path / "checkout")
    made.commit({"main.py": MAIN, "decode.py": DECODE})
    read = ToolCall(name="Read", args={"file_path": "main.py"}, result=MAIN)
    wish = (
        "Ann asks for short answers in the morning before she has read the papers on the main desk."
    )
    assert bind(wish, (read,), made.open()) == ()


def test_a_number_that_no_bound_part_has_is_not_told_as_unchanged(tmp_path: Path) -> None:
    made = Made(tmp_path / "checkout")
    made.commit({"dag.py": 'dag = DAG("meter_daily", schedule="@nightly")\n', "main.py": MAIN})
    repository = made.open()
    daily = bind("The meter_daily DAG is scheduled at 01:30.", (), repository)
    assert check(daily, repository).state is GroundState.NOT_CHECKED
    nightly = bind("The meter_daily DAG is scheduled nightly.", (), repository)
    assert check(nightly, repository).state is STAYS
    made.commit({"dag.py": 'dag = DAG("meter_daily", schedule="@weekly")\n', "main.py": MAIN})
    assert check(daily, repository).state is CHANGED


def test_what_a_statement_quotes_is_bound_beside_what_has_more_of_its_words(tmp_path: Path) -> None:
    code = (
        "def serve(path):\n    if any(part == '..' for part in split(path)):\n"
        "        return answer(403)\n    return read(path)\n"
    )
    said = "serve() answers 403 to any path that has `..` in it."
    bare = code.replace("any(part == '..' for part in split(path))", "leaves(path)")
    assert tell(tmp_path, {"serve.py": code}, said, {"serve.py": bare}) is CHANGED


@pytest.mark.parametrize("said", ["WORKERS is 77 in conf.py.", "WORKERS is 7 in conf.py."])
def test_a_number_that_the_named_file_does_not_have_is_not_told_as_unchanged(
    tmp_path: Path, said: str
) -> None:
    made = Made(tmp_path / "checkout")
    made.commit({"conf.py": "WORKERS = 40\n", "main.py": MAIN})
    repository = made.open()
    assert check(bind(said, (), repository), repository).state is GroundState.NOT_CHECKED
    true = bind("WORKERS is 40 in conf.py.", (), repository)
    assert check(true, repository).state is STAYS

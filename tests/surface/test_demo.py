"""The demo is a test of the product that every newcomer runs."""

from pathlib import Path

from tests.surface.shell import Shell


def test_every_promise_of_the_demo_holds(home: Path) -> None:
    shell = Shell(home)
    output = shell.run("demo", "--json", MEMORIA_EMBEDDER="bundled")
    assert output.code == 0, output.err
    document = output.document
    assert document["passed"] is True
    promises = [check for stop in document["stops"] for check in stop["checks"]]
    assert [check["promise"] for check in promises if not check["holds"]] == []
    assert len(promises) >= 12
    assert document["configuration"]["mcpServers"]["memoria"]["args"] == ["serve"]
    assert not shell.home.exists()

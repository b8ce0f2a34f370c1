"""A server that is killed under load: whatever it has acknowledged is there, once."""

from pathlib import Path

from bench.http.kill import ALL, kill


async def test_what_was_acknowledged_before_a_kill_is_there_once_though_clients_repeat(
    tmp_path: Path,
) -> None:
    verdict = await kill(tmp_path, [ALL], clients=4, workers=1)
    assert not verdict.broken
    assert verdict.figures["acknowledged"] > 0
    assert verdict.figures["repeated, no answer"] > 0

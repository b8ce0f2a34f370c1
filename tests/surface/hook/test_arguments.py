"""What is started is told words on its standard input: others may see arguments."""

import sys
from pathlib import Path

from memoria.surface.hook.handover import hand_over, take_in_later

WORDS = "My password is hunter2."
_STARTS = {"subprocess.Popen", "os.posix_spawn"}


def test_no_word_of_a_conversation_is_among_the_arguments_of_what_a_hook_starts(
    home: Path,
) -> None:
    started: list[str] = []

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event in _STARTS:
            started.append(str(arguments[:2]))  # the program and its arguments

    sys.addaudithook(note)
    turns = [{"role": "user", "content": WORDS}]
    hand_over(str(home), "tests", {"v": 1, "client": "cursor", "session": "s", "turns": turns})
    take_in_later(str(home), "tests", None)
    assert len(started) == 2
    assert all("memoria" in one and "hunter2" not in one for one in started)

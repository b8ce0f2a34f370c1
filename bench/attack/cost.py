"""Texts that cost far more than their length."""

import time

from bench.attack.arena import Arena
from bench.attack.attack import attack

_SHORT, _LONG = 4_096, 16_384
_MOST = 6.0
"""Four times the length may cost four times as much, and something for chance."""
_NOTHING_S = 0.3
"""Below this a ratio says nothing."""
_FRAGMENTS = {
    "blank lines": "\n",
    "blank lines with blanks": " \n\t\n",
    "closing quotes and blank lines": "”\n\n",
    "a half sentence and a quotation": "digests, I like > ",
    "backticks": "`",
    "open brackets": "[(",
    "quotation marks": '"',
    "full stops": ". ",
    "半句": "记住，我喜欢",
    "half a wish": "I prefer that I prefer ",
    "half a rule": "never, always, ",
    "lines of a list": "- \n",
    "colons": "Note: ",
    "a mail's head": "From: a\nTo: b\n",
    "equals signs": "password = ",
    "dashes": "-",
}


@attack
async def say_what_costs_the_square_of_its_length(arena: Arena) -> None:
    """Say repeated fragments of 4 and of 16 KB: nobody else waits four times four times as long."""
    async with arena.connect(workspace="none") as caller:
        await caller.say("The kiln is warm.")
        for what, fragment in _FRAGMENTS.items():
            took = []
            for length in (_SHORT, _LONG):
                text = (fragment * (length // len(fragment) + 1))[:length]
                began = time.process_time()
                await caller.ask(
                    "record_conversation",
                    turns=[{"role": "user", "content": f"Remember: {text} the end."}],
                    session_id=f"{what} {length}",
                )
                took.append(time.process_time() - began)
            short, long = took
            steep = long > _MOST * short and long > _NOTHING_S
            arena.check(not steep, f"{what}: {short:.2f} s of 4 KB, {long:.2f} s of 16 KB")

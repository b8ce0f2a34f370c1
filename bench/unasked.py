"""What is put before a model unasked: how often nothing, how often the right thing?

Conversations are given as prompts their own questions, those of others, and orders that ask for
work, as an agent hears them all day. Where there is an answer, one of the three lines should hold
it; in any other case only silence is right.

    python -m bench.unasked
"""

import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import anyio

import memoria
from bench.command import parser, progress
from bench.data import Conversation, Key, Question, data_folder
from bench.homes import record
from bench.metrics import mean
from bench.recall.foreign import FOREIGN

_OF_EACH = 40
"""Questions of a sort for each conversation."""
WORK = (
    "fix the failing test",
    "run the tests again",
    "please refactor this function to use async",
    "why does this not compile?",
    "commit and push",
    "add a docstring to every public function",
    "write a unit test for the parser",
    "continue",
    "go on",
    "yes, do it",
    "ok thanks",
    "explain this error message",
    "update the dependencies",
    "what does this function do?",
    "undo the last change",
    "the build is broken, find out why",
    "review my pull request",
    "how do I reverse a list in Python?",
    "write a bash script that renames all jpg files",
    "the login page throws a 500, please debug",
    "修复失败的测试",
    "继续",
    "好的，就这样做",
    "帮我重构这个函数",
    "为什么编译不过？",
    "给这个接口写单元测试",
    "提交代码",
    "优化一下这个查询",
    "解释一下这个报错",
    "写一个脚本批量重命名文件",
)
"""Prompts that no record of a private conversation bears on."""


class Tally:
    """What became of the prompts of one sort."""

    def __init__(self) -> None:
        self.silent: list[bool] = []
        self.right: list[bool] = []

    def add(self, text: str, gold: frozenset[str]) -> None:
        """Count a prompt by what was shown for it."""
        self.silent.append(not text)
        if gold:
            self.right.append(any(turn_id[-8:] in text for turn_id in gold))


async def ask(conversations: Sequence[Conversation], done: Callable[[], None]) -> dict[str, Tally]:
    """Record the conversations and give each its prompts."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    with tempfile.TemporaryDirectory(prefix="memoria-bench-") as home:
        await record(Path(home), conversations)
        for conversation in conversations:
            async with memoria.open(Path(home), conversation.name) as m:
                await m.wait_until_idle()
                receipt = await m.record_conversation(conversation.turns)  # known: gives the ids
                turns = zip(receipt.turns, conversation.turns, strict=True)
                ids: dict[Key, str] = {
                    (str(t.session_id), str(t.message_id)): str(own.id) for own, t in turns
                }
                for question in conversation.questions:
                    gold = frozenset(ids[key] for key in question.gold if key in ids)
                    text = await m.recall_unasked(question.text)
                    tallies[str(question.category)].add(text, gold)
                    done()
    return dict(tallies)


def add_prompts(conversation: Conversation) -> Conversation:
    """Some questions of each sort, the same whatever other sorts there are, and the orders."""
    by_sort: dict[str, list[Question]] = defaultdict(list)
    for question in sorted(conversation.questions, key=lambda each: each.text):
        by_sort[str(question.category)].append(question)
    some = [one for sort in by_sort.values() for one in sort[:: max(1, len(sort) // _OF_EACH)]]
    work = [Question(text, "work", frozenset()) for text in WORK]
    return replace(conversation, questions=(*some, *work))


def _pick_few(conversations: Sequence[Conversation]) -> list[Conversation]:
    """Three of LoCoMo, and four users of each language."""
    wanted = {"conv": 3, "en-": 4, "zh-": 4}
    return [
        one
        for start, most in wanted.items()
        for one in [each for each in conversations if each.name.startswith(start)][:most]
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Ask, and print what was shown. 2 where the data is not there."""
    options = parser("bench.unasked")
    options.add_argument("--few", action="store_true", help="eleven conversations, not all forty")
    arguments = options.parse_args(argv)
    folder = arguments.data or data_folder()
    missing = FOREIGN.missing(folder)
    if folder is None or missing:
        sys.stderr.write(
            f"There is no {missing[0]}. Name its folder with --data or MEMORIA_DATA.\n"
        )
        return 2
    chosen = _pick_few(FOREIGN.read(folder)) if arguments.few else FOREIGN.read(folder)
    conversations = [add_prompts(one) for one in chosen]
    with progress("memoria", sum(len(c.questions) for c in conversations)) as done:
        tallies = anyio.run(ask, conversations, done)
    figures = {
        name: {
            "prompts": len(tally.silent),
            "silent": round(mean(tally.silent), 3),
            **({"right": round(mean(tally.right), 3)} if tally.right else {}),
        }
        for name, tally in tallies.items()
    }
    if arguments.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, each in figures.items():
            print(name, *(f"{key} {value}" for key, value in each.items()), sep=" | ")
    return 0


if __name__ == "__main__":
    sys.exit(main())

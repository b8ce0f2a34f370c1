"""Who reads the lines: the scripted reader, or the configured chat model."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import anyio.to_thread
from pydantic import BaseModel

from bench.value.reader import ASK, Choice, Decision, choose
from bench.value.wording import tokens
from memoria.inference.chat.answers import read_answer
from memoria.inference.chat.base import ChatModel, ChatRequest

_INSTRUCTIONS: Final = Path(__file__).parent / "choose.md"
_MOST_TOKENS = 400


class ModelChoice(BaseModel):
    """What a model chooses."""

    key: str
    """Of an option, or ASK."""
    check: bool = False
    """Whether it looks the truth up first, as what it was shown may hold no longer."""
    because: str = ""


async def read_by_script(decision: Decision, shown: Sequence[str]) -> Choice:
    """Choose as the scripted reader does."""
    return choose(decision, shown)


class ModelReader:
    """A chat model that chooses by the lines it is shown."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    async def __call__(self, decision: Decision, shown: Sequence[str]) -> Choice:
        """Ask the model; what is no option counts as the one that is taken without memory."""
        request = ChatRequest(
            purpose="choose",
            prompt="value/1",
            instructions=_INSTRUCTIONS.read_text("utf-8"),
            text=_write(decision, shown),
            answer=ModelChoice,
            max_output_tokens=_MOST_TOKENS,
        )
        reply = await anyio.to_thread.run_sync(self._model.ask, request)
        answer = read_answer(request, reply).value
        ranked = sorted(decision.options, key=lambda one: one.default_rank)
        keys = {one.key for one in ranked} | ({ASK} if decision.may_ask else set())
        key = answer.key if answer.key in keys else ranked[0].key
        return Choice(key, answer.because, answer.check, len(shown), tokens("\n".join(shown)))


def _write(decision: Decision, shown: Sequence[str]) -> str:
    """Write a decision for a model, the option that is taken without memory first."""
    ranked = sorted(decision.options, key=lambda one: one.default_rank)
    asked = {
        "task": decision.task,
        "question": decision.question,
        "options": [{"key": one.key, "action": one.action} for one in ranked],
        "may_ask": decision.may_ask,
    }
    return "\n\n".join([*shown, json.dumps(asked, ensure_ascii=False, indent=1)])

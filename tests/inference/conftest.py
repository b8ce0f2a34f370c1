"""What the tests of chat models share: a ledger in a real store, and gates to scripted models."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field
from tests.databases import change_rows, open_home
from tests.llm.scripted import ScriptedModel

from memoria.inference.chat.base import ChatModel, ChatRequest
from memoria.inference.chat.client import ChatClient, ChatLimits
from memoria.inference.chat.endpoint import EndpointChat
from memoria.model import DailyCap, ModelCall, now_millis
from memoria.store.engine import StoreLedger

KEY = "sk-very-" + "secret-8x5k2"
PRIVATE = "the salary is 46,000"
TENANT = "ann"


class Colour(BaseModel):
    """A small answer with a little of everything."""

    model_config = ConfigDict(extra="forbid")

    colour: Literal["red", "green"]
    shades: tuple[str, ...] = Field((), max_length=3)


RED = Colour(colour="red")


def question(text: str = PRIVATE, most: int = 200) -> ChatRequest[Colour]:
    return ChatRequest(
        purpose="extract",
        prompt="colour/7",
        instructions="Name the colour.",
        text=text,
        answer=Colour,
        max_output_tokens=most,
    )


class Books:
    """A store's ledger, and what stands in it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.store = open_home(home)
        self.ledger = StoreLedger(self.store)

    def calls(self) -> list[ModelCall]:
        with change_rows(self.home) as connection:
            rows = connection.execute("SELECT * FROM model_calls ORDER BY n").fetchall()
        return [ModelCall(**{name: row[name] for name in ModelCall.model_fields}) for row in rows]

    def text(self) -> str:
        """Return all that was kept of calls."""
        with change_rows(self.home) as connection:
            rows = connection.execute("SELECT * FROM model_calls").fetchall()
        return "\n".join(str(value) for row in rows for value in row)

    def wait_for(self, outcome: str) -> None:
        """Wait until the newest call has this outcome."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with self.store.read(TENANT) as tx:
                last = tx.ledger.newest()
            if last is not None and last.outcome == outcome:
                return
        raise TimeoutError(outcome)

    def outcomes(self) -> list[str]:
        return [call.outcome for call in self.calls()]


@pytest.fixture
def books(home: Path) -> Iterator[Books]:
    opened = Books(home)
    yield opened
    opened.store.close()


@pytest.fixture(autouse=True)
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loopback is reached without the proxy of the machine the tests run on."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[ScriptedModel]:
    with ScriptedModel() as model:
        yield model


OpenGate = Callable[..., ChatClient]


@pytest.fixture
def gate_to(books: Books) -> Iterator[OpenGate]:
    """Makes a gate to a model; stops all of them when the test ends."""
    gates: list[ChatClient] = []

    def opened(
        model: ChatModel | ScriptedModel,
        *,
        timeout_s: float = 30,
        attempts: int = 3,
        concurrency: int = 4,
        daily_tokens: int = 1_000_000,
        daily_cap: DailyCap | None = None,
        now: Callable[[], int] = now_millis,
    ) -> ChatClient:
        cap = daily_cap or DailyCap(tokens=daily_tokens)
        limits = ChatLimits(timeout_s, attempts, concurrency, cap, first_pause_s=0.001)
        asked = (
            EndpointChat(model.url, "tiny", KEY, timeout_s)
            if isinstance(model, ScriptedModel)
            else model
        )
        gates.append(ChatClient(asked, books.ledger, limits, now))
        return gates[-1]

    yield opened
    for gate in gates:
        gate.stop()

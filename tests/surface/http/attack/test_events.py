"""Whoever listens hears of its own tenant's changes, and of nobody else's."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import httpx2
import pytest
from tests.surface.http.attack.agent import McpAgent, McpEra
from tests.surface.http.attack.conftest import Served

from memoria.model.access import Access

_PAD = "memory://scratchpad"
_WAIT_S = 5


class Listener:
    """What one agent hears, in another thread."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.changed = threading.Condition()

    def take(self, line: str) -> None:
        """Keep a line that came by the stream."""
        with self.changed:
            self.heard.append(line)
            self.changed.notify_all()

    def wait_for(self, is_enough: Callable[[list[str]], bool]) -> bool:
        """Wait until enough was heard; return False if it never is."""
        with self.changed:
            return self.changed.wait_for(lambda: is_enough(self.heard), _WAIT_S)

    @property
    def updates(self) -> list[str]:
        """The notes of changed resources."""
        return [line for line in self.heard if "notifications/resources/updated" in line]


@contextmanager
def listening(agent: McpAgent) -> Iterator[Listener]:
    """Have an agent listen to its scratchpad."""
    listener, http = Listener(), agent.http
    if agent.era == "new":
        wanted = {"notifications": {"resourceSubscriptions": [_PAD]}}
        body, headers = agent.write("subscriptions/listen", wanted)
        asked = http.build_request("POST", "/mcp", json=body, headers=headers)
    else:
        agent.request("resources/subscribe", uri=_PAD)
        headers = agent.write("", {})[1]
        asked = http.build_request("GET", "/mcp", headers=headers)
    answer = http.send(asked, stream=True)
    assert answer.status_code == 200, answer.status_code

    def read() -> None:
        try:
            for line in answer.iter_lines():
                listener.take(line)
        except (httpx2.HTTPError, httpx2.StreamError):
            pass  # we have hung up

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    if agent.era == "new":
        assert listener.wait_for(lambda heard: any("acknowledged" in one for one in heard))
    try:
        yield listener
    finally:
        if agent.session is not None:
            agent.http.delete("/mcp", headers=agent.write("", {})[1])
        with suppress(OSError):  # the server may have hung up before
            stream = answer.extensions["network_stream"]
            stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        thread.join(_WAIT_S)
        assert not thread.is_alive()


@pytest.mark.parametrize("era", ["new", "old"])
@pytest.mark.parametrize("other", ["new", "old"])
def test_who_listens_hears_of_its_own_tenant_alone(
    served: Served, era: McpEra, other: McpEra
) -> None:
    texts = {name: served.create_token(name, Access.WRITE).text for name in ("ann", "ben")}
    ann, ben = served.agent(texts["ann"], other), served.agent(texts["ben"], era)
    with (
        listening(served.agent(texts["ann"], other)) as hers,
        listening(served.agent(texts["ben"], era)) as his,
    ):
        for number in range(3):
            ann.do("update_scratchpad", current_focus=f"Ann's task {number}.")
        assert hers.wait_for(lambda _: len(hers.updates) >= 3), "not even the own tenant hears"
        ben.do("update_scratchpad", current_focus="Ben's task.")
        assert his.wait_for(lambda _: len(his.updates) >= 1)
        ben.request("tools/list")
        assert (len(hers.updates), len(his.updates)) == (3, 1)
        assert "Ann" not in "".join(his.heard)

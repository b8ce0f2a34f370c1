"""What the clerks say: the same in every run, so that the parent knows every word of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from memoria import Turn

TENANT = "post-office"
COMMON_SESSION = "counter"
COMMON_EVERY = 10
"""Every tenth turn goes into the session that all clerks share."""
_REPEAT_EVERY = 2
_SUBJECTS = (
    "the parcel for Ms Okafor is behind the green door, she will fetch it on Thursday",
    "周三上午有一批挂号信要寄到成都，记得贴好回执",
    "naïve café façade: the accents of this line must survive, and so must ½ and €",
    "the scale in the back room shows four grams too many since it was moved",
    "王先生说他的包裹还没有收到，请明天再打电话问一下仓库",
    "we are out of stamps with the heron; the ones with the otter may be sold instead",
    "emoji are words too 📮✉️, and\ttabs and  double spaces stay where they are",
)


@dataclass(frozen=True, slots=True)
class Load:
    """How much happens."""

    processes: int = 8
    turns: int = 500
    """By each clerk."""
    searches: int = 100
    """By each clerk."""
    clients: int = 1
    """Clerks that share a process, as clients share a server."""

    @property
    def clerks(self) -> range:
        """The numbers of all clerks."""
        return range(self.processes * self.clients)

    def list_clerks(self, process: int) -> range:
        """List the numbers of a process's clerks."""
        return self.clerks[process * self.clients : (process + 1) * self.clients]


@dataclass(frozen=True, slots=True)
class Line:
    """One turn a clerk records."""

    clerk: int
    i: int

    @property
    def shared(self) -> bool:
        """Whether it goes into the session that all clerks share."""
        return self.i % COMMON_EVERY == COMMON_EVERY - 1

    @property
    def repeated(self) -> bool:
        """Whether the call is made twice, as a client does that got no answer in time."""
        return (self.clerk + self.i) % _REPEAT_EVERY == 0

    @property
    def session_id(self) -> str:
        """The common session or the clerk's own."""
        return COMMON_SESSION if self.shared else own_session(self.clerk)

    @property
    def message_id(self) -> str | None:
        """Numbered in the common session; in the clerk's own, only the words tell turns apart."""
        return self.code if self.shared else None

    @property
    def code(self) -> str:
        """A word that no other line holds."""
        return f"c{self.clerk}n{self.i}"

    @property
    def text(self) -> str:
        """The words, in one script or another."""
        return f"{self.code}: {_SUBJECTS[self.i % len(_SUBJECTS)]}"

    @property
    def turn(self) -> Turn:
        """The line as a client hands it over."""
        return Turn(
            role="user" if self.i % 2 else "assistant",
            content=self.text,
            session_id=self.session_id,
            message_id=self.message_id,
        )


def lines(clerk: int, turns: int) -> Iterator[Line]:
    """All that a clerk says, in order."""
    return (Line(clerk, i) for i in range(turns))


def searches_after(i: int, load: Load) -> int:
    """How many searches follow turn `i`, so that all of them are spread over all turns."""
    return (i + 1) * load.searches // load.turns - i * load.searches // load.turns


def own_session(clerk: int) -> str:
    """The session nobody else writes to."""
    return f"clerk-{clerk}"

"""What is compared with a new statement is read before the home is kept from all others."""

from pathlib import Path

from tests.store.insides import connection_of

import memoria
from memoria import Memoria, Settings
from memoria.memories.values import NewWording
from memoria.memories.verdicts import NOTHING_READ, NewClaim, ReadAhead, judge_claim, read_ahead
from memoria.model import MemoryType, Provenance, SourceKind, Trust, new_id, now_millis
from memoria.policy.conflict import Claim
from memoria.store.values import NewMemory


async def test_what_shares_words_is_looked_for_again_only_in_an_index_that_has_changed(
    home: Path,
) -> None:
    known, new = "The user's desk is in room 12.", "the user's desk is in room 12"
    async with memoria.open(settings=Settings(home=home, embedder="off"), tenant="t") as m:
        kept = await m.remember(known)
        with m._store.read("t") as tx:  # noqa: SLF001  (as the extractor does)
            ahead = read_ahead(tx, [new], [None])
        assert _judge(m, new, NOTHING_READ) == ([kept.id], 1)
        assert _judge(m, new, ahead) == ([kept.id], 0)
        await m.record_conversation([{"role": "user", "content": "What a day!"}])
        assert _judge(m, new, ahead) == ([kept.id], 1)


def _judge(m: Memoria, content: str, ahead: ReadAhead) -> tuple[list[str], int]:
    """The memories that say what is claimed, and how often the index is searched for them."""
    now, searched = now_millis(), list[str]()
    claim = Claim(content, "", now, None, SourceKind.USER_SAID, Trust.USER, 0.6)
    origin = Provenance(source_kind=claim.source, trust=claim.trust, channel="library")
    memory = NewMemory(new_id(), MemoryType.FACT, importance=0.5, confidence=0.6)
    wording = NewWording(content=content, valid_from=now, provenance=origin)
    proposed = NewClaim(claim, memory, wording, ahead=ahead)
    with m._store.write("t") as tx:  # noqa: SLF001
        connection = connection_of(tx)
        connection.set_trace_callback(lambda sql: searched.append(sql) if "MATCH" in sql else None)
        verdicts = judge_claim(tx, proposed, now)
        connection.set_trace_callback(None)
    return [one.id for one in verdicts.same], len(searched)

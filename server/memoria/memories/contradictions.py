"""Contradictions on which the user has spoken: two memories that hold beside each other."""

from memoria.errors import InvalidInputError
from memoria.memories.links import CONTRADICT, HOLD_BOTH, link_contradictions
from memoria.model import Channel, EdgeType, Memory, Node, Trust, now_millis
from memoria.store.rows.transaction import Transaction


def set_contradiction(
    tx: Transaction, channel: Channel, pair: tuple[Memory, Memory], *, contradict: bool
) -> None:
    """Note whether two memories contradict each other, on the user's word.

    Where both hold, nothing that is read later marks them again while both say what they say.

    Raises:
        InvalidInputError: both are one, or it is not the user who says it.
    """
    one, other = pair
    if channel.trust is not Trust.USER:
        raise InvalidInputError("Only the user says whether two memories can both be true.")
    if one.id == other.id:
        raise InvalidInputError("Both ids are of one memory. Name two.")
    now = now_millis()
    tx.end_kept()
    for subject, detail in ((one.id, other.id), (other.id, one.id)):
        tx.audit.add(
            at=now,
            channel=channel.name,
            client=channel.client,
            caller=channel.caller,
            action=CONTRADICT if contradict else HOLD_BOTH,
            subject=subject,
            detail=detail,
        )
    if contradict:
        link_contradictions(tx, one, [other.id], now=now)
    else:
        ends = Node("memory", one.id), Node("memory", other.id)
        tx.graph.remove_edge(ends[0], EdgeType.CONTRADICTS, ends[1])

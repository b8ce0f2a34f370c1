"""The floor that the bundled model has for nothing: the turns nearest to a question by cosine."""

from collections.abc import Callable, Sequence

import numpy as np

from bench.ask import LIMIT, Answer, Outcome, ask
from bench.data import Conversation
from memoria import Turn
from memoria.inference.embedder import BUNDLED, BundledEmbedder
from memoria.language.budget import estimate_tokens


class Nearest:
    """Ranks the turns of one conversation by the cosine of their vectors alone."""

    def __init__(self, embedder: BundledEmbedder, turns: Sequence[Turn]) -> None:
        self._embedder = embedder
        self._turns = turns
        self._rows = np.stack(embedder.embed_documents([turn.content for turn in turns]))

    async def rank(self, question: str) -> Answer:
        """The turns with the greatest cosines, ties in the order they were said."""
        cosines = self._rows @ self._embedder.embed_query(question)
        found = [self._turns[i] for i in np.argsort(-cosines, kind="stable")[:LIMIT]]
        return Answer(
            tuple((str(turn.session_id), str(turn.message_id)) for turn in found),
            sum(estimate_tokens(turn.content) for turn in found),
        )


async def ask_nearest(
    conversations: Sequence[Conversation], done: Callable[[], None]
) -> list[Outcome]:
    """Every question of every conversation, asked of the bundled model's vectors."""
    embedder = BundledEmbedder(BUNDLED)
    outcomes = []
    for conversation in conversations:
        ranker = Nearest(embedder, conversation.turns)
        outcomes += await ask(ranker, conversation.questions, done)
    return outcomes

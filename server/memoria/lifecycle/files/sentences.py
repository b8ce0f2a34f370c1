"""A chat model's sentences about a day, above its lists: asked day by day until it can't answer."""

import json
from collections.abc import Sequence
from datetime import date

from memoria.errors import ChatModelError, InvalidAnswerError, ModelRefusedError
from memoria.inference.tasks import request_day_summary
from memoria.language.reading.clean import Tally, clean_text
from memoria.language.statements.orders import instruction_shaped
from memoria.lifecycle.interface import StepContext
from memoria.model import Trust
from memoria.model.day import DayMemory

_MOST_TOKENS = 1024
_MOST_EPISODES = 50
_FEW_EPISODES = 3
_MOST_CHARS = 1000


class DaySummaries:
    """The sentences about the days of one run."""

    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._chat = context.chat
        self.trouble: str | None = None
        """Reason why the model is no longer asked, if it is not."""

    def summarize(self, today: date, episodes: Sequence[DayMemory]) -> tuple[str, ...]:
        """Return the sentences about a day; none where no model answers: the lists say it too.

        No model is asked about a day with few conversations: their summaries stand on the page.

        Args:
            today: the day.
            episodes: the summaries of its conversations.
        """
        if self._chat is None or self.trouble or not _is_much(episodes):
            return ()
        shown = episodes[:_MOST_EPISODES]
        question = request_day_summary(
            day=f"{today:%A} {today.isoformat()}",
            episodes=_number_episodes(shown),
            max_output_tokens=min(_MOST_TOKENS, self._context.output_tokens),
        )
        try:
            answer = self._chat.ask(self._context.tenant, question)
        except (InvalidAnswerError, ModelRefusedError):
            return ()
        except ChatModelError as error:
            self.trouble = str(error)
            return ()
        said = ((clean_text(each.text, Tally()), each.episodes) for each in answer.sentences)
        return tuple(
            text
            for text, rests_on in said
            if max(rests_on) <= len(shown) and not instruction_shaped(text, Trust.REPORTED)
        )


def _is_much(episodes: Sequence[DayMemory]) -> bool:
    """Check whether there is more on a day than one reads at a glance."""
    chars = sum(len(each.content) for each in episodes)
    return len(episodes) > _FEW_EPISODES or (len(episodes) > 1 and chars > _MOST_CHARS)


def _number_episodes(episodes: Sequence[DayMemory]) -> str:
    lines: list[dict[str, object]] = []
    for n, each in enumerate(episodes, 1):
        remark = {"outdated": True} if each.is_outdated else {}
        lines.append({"episode": n, "summary": each.content[:_MOST_CHARS], **remark})
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)

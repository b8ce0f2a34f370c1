"""Words before a mistake: what of a project's record is worth saying before a call like it."""

from memoria.policy.guard.steps import GuardStep, read_step
from memoria.policy.guard.words import GuardWord, draw_words

__all__ = ["GuardStep", "GuardWord", "draw_words", "read_step"]

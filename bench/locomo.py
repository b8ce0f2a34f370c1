"""Does the verbatim record give back the turns that answer a question about a long conversation?

LoCoMo (A. Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents",
2024): conversations of several hundred turns over months, and questions that name the turns
holding their answer. Every question goes through `search_conversation_traces` as a client would
ask it; nothing about the question but its words is known to the search.

    python -m bench.locomo
"""

import sys

from bench.command import run
from bench.floor import ask_floor
from bench.product import ask_memoria

if __name__ == "__main__":
    sys.exit(run("bench.locomo", {"memoria": ask_memoria, "floor": ask_floor}))

"""Does memory help the task? The same tasks with and without it, in small repositories; no judge.

First sessions fall into a trap: a flaky command, a port that is taken, a library or an action that
the user rejects, a decision that is reversed, a fact that holds until the ground moves, a question
that only the user can answer. All are recorded as a client's hooks report them, with other
sessions between. Then each task comes again in other words, and an agent that sees only the lines
that the product showed chooses what to do: a scripted reader by default (`reader.py`), which others
than this bench's authors wrote and which wrong or irrelevant lines mislead; with `--model` the
configured chat model.

    python -m bench.value
    python -m bench.value --model       # the configured chat model reads
    python -m bench.value --show        # what was chosen for each task, and after which line
"""

"""Are questions answered better with the memory than without it? Scored by strings; no judge.

Twelve histories, six in English and six in Chinese, were written by others than this bench's
authors: 132 sessions of everyday talk with an assistant, and 144 questions. A history is played at
the times of its sessions, and a question is asked at its own time, so that nothing later is known.
Each is answered by a reader without any line, and with what one search in the question's own words
shows: by an extractive reader, or with `--model` by the configured chat model, which then also
makes the memories. Without a model nothing but the record is there. At the end a false memory is
planted for each question of that kind, and these are asked again.

    python -m bench.evaluate
    python -m bench.evaluate --model    # the configured chat model makes memories and answers
    python -m bench.evaluate --show     # each answer and what it counted as
"""

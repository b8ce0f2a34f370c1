"""What recording long conversations costs, in seconds of CPU until all has its vectors.

Each set is recorded whole, as an import does it, and live: an exchange at a time, each with its
vectors before the next. Then its questions are asked at both levels, so that whoever makes
recording cheaper sees what became of the answers.

    python -m bench.recording
    python -m bench.recording --beside ../an-older-checkout     # in turns with it
"""

"""Memoria beside other memory servers: the same data, the same questions, one run.

Every server is installed from its registry into an environment of its own, started as a process
and spoken to over standard input and output by the SDK's client. Each turn of a LoCoMo conversation
is stored by one call of the server's own tool, with the same words and an opaque marker. Each
question goes to the server's own search tool; its answer is cut to a budget of tokens by one rule
for all, and a turn counts as found when its marker is still there.

    python -m bench.peers --envs FOLDER
"""

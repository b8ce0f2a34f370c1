"""Memoria beside other memory servers: the same data, the same questions, one run.

Every server is installed from its registry into an environment of its own, started as a process
and spoken to over standard input and output by the SDK's client. Each turn of a conversation, of
LoCoMo or of BEAM, is stored by one call of the server's own tool, with the same words and an opaque
marker. Each question goes to the server's own search tool; its answer is cut to a budget of tokens
by one rule for all. A turn counts as found when its marker is still there, and as told when the
sentence of it that tells most is (`bench.shown`). Between a user and an assistant a server that can
narrow a search to the user's words is asked that way too.

    python -m bench.peers --envs FOLDER
    python -m bench.peers beam --envs FOLDER
"""

"""A PostgreSQL server is killed, cut off, filled up and replaced: is every promise kept?

Each fault has a module; each gives verdicts: what was done, how often, and which promises broke.
The servers are the benchmark's own and write to disk what they confirm.

    python -m bench.faults_postgres
    python -m bench.faults_postgres --only kills --rounds 20
"""

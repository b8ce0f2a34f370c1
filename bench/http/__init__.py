"""A server over HTTP under load: many clients of many tenants, in one home or a home each.

Every text of a tenant carries the tenant's own mark, and every answer is searched for the marks of
others.

    python -m bench.http load                       # 64 clients of 8 tenants, 1 and 2 workers
    python -m bench.http load --calls 100000 --ways "2 workers, a home each"
    python -m bench.http homes --tenants 1000       # cold and warm homes: p95, memory, open files
    python -m bench.http burst                      # one tenant floods, another calls now and then
    python -m bench.http kill --rounds 20           # kill -9 of a worker, of all, rolling restarts
"""

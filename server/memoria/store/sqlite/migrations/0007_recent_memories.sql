-- What a tenant learnt last, and what held in a stretch of time, without looking at every wording.
CREATE INDEX memory_versions_by_time ON memory_versions (tenant_id, valid_from);

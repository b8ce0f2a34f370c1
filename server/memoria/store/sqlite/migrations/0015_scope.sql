-- Whether a memory is seen in every project or in its own alone is a value of its own, set when the
-- memory is written. It was concluded from the type before: what was seen where stays as it was.
ALTER TABLE memories ADD COLUMN scope TEXT NOT NULL DEFAULT 'everywhere'
    CHECK (scope IN ('everywhere', 'project'));
UPDATE memories SET scope = 'project'
WHERE workspace_n IS NOT NULL AND n IN (
    SELECT v.memory_n FROM memory_versions v JOIN documents d ON d.n = v.n
    WHERE d.workspace_n IS NOT NULL);

-- Who speaks with the role `user` under a name: a few rows where names are given at all.
CREATE INDEX turns_by_user_speaker ON turns (tenant_id, speaker, n)
WHERE role = 'user' AND speaker IS NOT NULL;

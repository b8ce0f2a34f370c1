-- The caller of what was done over HTTP: the token, or the subject that an issuer vouches for.
ALTER TABLE audit_log ADD COLUMN caller TEXT;

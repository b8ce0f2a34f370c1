-- claude-mem. Which columns there are depends on its version. A prompt has no project of its own.

-- name: observations
SELECT * FROM observations ORDER BY id;

-- name: session_summaries
SELECT * FROM session_summaries ORDER BY id;

-- name: user_prompts
SELECT * FROM user_prompts ORDER BY id;

-- name: sdk_sessions
SELECT * FROM sdk_sessions ORDER BY id;

"""The nightly job as the platform's own scheduler runs it: cron, systemd, launchd, tasks."""

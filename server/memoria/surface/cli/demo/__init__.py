"""The demo: a bundled conversation and a tour through it."""

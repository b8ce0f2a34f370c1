"""The viewer at `/ui`: what the memory holds and what agents are told, on pages for a person."""

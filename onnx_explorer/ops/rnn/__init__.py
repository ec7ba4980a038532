"""Operators with a state that runs along a sequence."""

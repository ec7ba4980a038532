"""Operators: one page each (or one per family), found through the registry."""

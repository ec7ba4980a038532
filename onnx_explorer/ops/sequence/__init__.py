"""Operators on lists of tensors, and on values that may be missing."""

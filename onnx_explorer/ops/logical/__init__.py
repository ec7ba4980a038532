"""Operators that compare and decide."""

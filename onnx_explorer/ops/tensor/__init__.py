"""Operators that make, move, cut and join tensors."""

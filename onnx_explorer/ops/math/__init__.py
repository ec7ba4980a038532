"""Operators of arithmetic and elementary functions."""

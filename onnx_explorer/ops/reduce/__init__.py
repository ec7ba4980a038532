"""Operators that reduce along axes."""

"""Quantization: numbers kept in a few bits, and arithmetic on them."""

"""Operators on signals: windows, Fourier transforms, the mel scale."""

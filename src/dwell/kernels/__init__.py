"""Compiled loops: the only modules that import numba.

Kernels take checked arrays and check nothing themselves.
"""

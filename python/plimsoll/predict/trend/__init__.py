"""Where a series goes: its season, its steps, its slope, what lies ahead, and hours that are unlike themselves.

NumPy, an extra, is imported by every module here and by nothing that imports this package by itself.
"""

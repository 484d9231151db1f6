"""The outside world behind interfaces: clock, files and processes. Everywhere else direct calls are banned by the linter."""

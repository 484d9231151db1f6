"""What every layer stands on: errors, units, settings, limits and registries. Imports nothing of ours."""

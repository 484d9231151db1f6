"""What the benchmarks share: targets, both tools' commands, interleaved rounds, ratios with intervals, a folder of raw results."""

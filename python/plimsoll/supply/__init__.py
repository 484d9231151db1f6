"""What storage supplies: targets, workloads, single cells and the line. One of the four layers that may call the engine."""

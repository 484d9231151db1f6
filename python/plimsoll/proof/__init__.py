"""Workloads that drive a real database, so that its demand can be seen and a prediction tested. One workload, one file."""

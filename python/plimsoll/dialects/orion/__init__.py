"""ORION's own command line and files: what it takes, the loads that follow, and the files that it leaves."""

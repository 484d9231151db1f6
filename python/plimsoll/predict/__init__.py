"""What follows from a measured supply and a known demand."""

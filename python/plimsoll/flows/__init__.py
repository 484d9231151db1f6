"""One use of the product from end to end. The only layer that stores, and that combines supply, demand, proof and report."""

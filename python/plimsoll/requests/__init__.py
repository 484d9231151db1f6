"""What can be asked of each verb: one frozen class, each field once. The command line and the Python interface are made from it.

A room of its own beside `facts`, as the command line reads these classes each time it starts, and facts take a tenth of a second.
"""

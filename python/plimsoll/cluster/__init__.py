"""Several hosts that measure at the same time: agents are started, their clocks compared, and what they tell is put together."""

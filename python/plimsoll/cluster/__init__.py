"""Several hosts that measure at the same time: agents are started, their clocks compared, and what they tell is put together.

And hosts that read many reports, as workers of a Dask cluster: `dask_…`.
"""

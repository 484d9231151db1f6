"""The one door to the Rust extension: engine, distributions of latency, statistics. Nothing else imports `plimsoll._core`."""

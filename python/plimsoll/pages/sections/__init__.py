"""The sections of a report. Each module holds a `SECTION`; the page finds them here and orders them by rank."""

"""The command line: parses words, hands a request to a flow, shows what comes back. One verb, one file in `commands/`."""

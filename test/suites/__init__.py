"""The suites of the test command: each module has run(totals, mode)."""

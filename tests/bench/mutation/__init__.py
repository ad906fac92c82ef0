"""Plants small faults in the source and counts how many the tests notice: `python -m tests.bench.mutation --help`."""

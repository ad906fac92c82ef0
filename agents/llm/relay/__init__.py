"""The model gateway: lends a model to a program in a sandbox, which gets no key and reaches nothing else."""

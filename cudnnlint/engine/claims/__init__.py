"""What a run could refute of a finding, as plain data for the worker of another interpreter."""

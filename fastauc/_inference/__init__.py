"""How sure a number is: standard errors, intervals, tests."""

"""Input validation: arguments become clean arrays, or errors that say what is wrong and where."""

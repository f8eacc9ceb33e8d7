"""What may be given: arguments become clean arrays, or an error that says where."""

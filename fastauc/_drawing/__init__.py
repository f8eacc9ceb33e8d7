"""What displays and reports share: lines, axes and legends, thinned curves, numbers as text."""

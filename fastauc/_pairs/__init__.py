"""The exact area of a clean sample: concordant and tied pairs."""

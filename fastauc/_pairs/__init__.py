"""The exact AUC of a clean sample, from concordant and tied pairs."""

"""What tests share: samples, made-up files, judgments; and what was recorded."""

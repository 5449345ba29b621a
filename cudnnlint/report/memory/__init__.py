"""What `cudnnlint memory` prints."""

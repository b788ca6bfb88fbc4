//! Synthetic populations made by our own generator: faces and scanning conditions.

"""One file a stage of the method: (state, context) in, events out."""

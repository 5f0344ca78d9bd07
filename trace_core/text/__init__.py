"""Three layers of a text (as read, as shown, as indexed) and the way between them."""

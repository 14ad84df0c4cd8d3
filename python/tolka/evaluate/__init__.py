"""The evaluate room: how good translations are, given references."""

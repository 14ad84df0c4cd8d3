"""The pipeline room: recipes, stages and their cache."""

"""The prompts: a Markdown file a stage, with a system and a user part and placeholders."""

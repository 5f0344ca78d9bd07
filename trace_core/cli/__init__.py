"""The command line: one function a command, tables for people, JSON for machines."""

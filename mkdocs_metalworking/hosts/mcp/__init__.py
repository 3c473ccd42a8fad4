"""A context server: what the site says, for coding agents. Needs the extra ``mcp``."""

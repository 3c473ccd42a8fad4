"""What is quoted and from where: grammar, lines, pins, lock and verified quotations. Knows no host, no Markdown."""

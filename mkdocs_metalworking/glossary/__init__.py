"""What a site may ask for beyond quotations: callouts, chapters, lookup, mapping, bibliography."""

"""How learners do on the suite: rows, tables and a page of small charts."""

"""Reading: a log of past tests from files, tables and queries, checked, as blocks of tests."""

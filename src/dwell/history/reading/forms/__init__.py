"""Forms: rows of each form as blocks of tests."""

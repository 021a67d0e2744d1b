"""The service: an HTTP API and a web page over programmes, plans and evaluations."""

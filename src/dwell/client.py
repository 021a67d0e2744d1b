"""Client: programmes of a service, by the verbs of `Programme`."""

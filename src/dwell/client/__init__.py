"""The client: programmes of a service, used as those of this machine are.

What is asked and what is made of an answer is written once, as steps that know nothing of how a
request is sent (`programme`, `client`). What to do if nobody answers is written once (`patience`).
Two drivers send requests: one waits for each, one lets others work meanwhile (`drivers`).
"""

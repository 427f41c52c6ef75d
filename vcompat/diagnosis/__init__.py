"""From a log to the cause: a log is read as a stream, its failures are put together, and rules are matched and ranked.

``reading`` yields blocks of bytes, ``lines`` yields lines of processes, ``excerpts`` keeps what surrounds a failure,
``failures`` reads tracebacks, ``symptoms`` matches rules, ``log_facts`` reads facts, ``ranking`` orders the matches.
"""

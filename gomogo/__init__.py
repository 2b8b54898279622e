"""The user interfaces of Gomogo: command line, full-screen console, page in the browser, and reports."""

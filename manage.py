#!/usr/bin/env python3
"""Entry point of every command: ``python manage.py COMMAND``."""

import sys

from harness.management.entry import main

if __name__ == "__main__":
    sys.exit(main(sys.argv))

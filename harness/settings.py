"""The server's settings. Each variable has one reader (here, or harness/routes/env.py), one default, one line in
README's table."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from tempfile import gettempdir

from harness.env import Env

BASE_DIR = Path(__file__).resolve().parent.parent
env = Env(os.environ)

# Where everything that is made at run time lives: database, spool, secret key.
DATA_DIR = env.path("HARNESS_DATA_DIR", BASE_DIR / "var")
DATABASE_FILE = DATA_DIR / "streamscope.sqlite3"
SECRET_FILE = DATA_DIR / "secret.key"

BIND = env.text("HARNESS_BIND", "127.0.0.1")
PORT = env.port("PORT", 8000)
LAB_PORT = env.port("LAB_PORT", 8100)
LAB_URL = f"http://127.0.0.1:{LAB_PORT}"
# Public names that the web answers to, beside IP addresses and names without a dot (harness/pages/guard.py).
HOSTS = env.names("HARNESS_HOSTS")
KEEP_RUNS = env.whole("HARNESS_KEEP_RUNS", 500)  # the oldest unpinned ones go; 0 keeps all
DEBUG = env.flag("HARNESS_DEBUG", False)
env.check()

# `up` writes the file; a command that runs before any `up` needs no key that outlives it.
SECRET_KEY = SECRET_FILE.read_text().strip() if SECRET_FILE.is_file() else secrets.token_urlsafe(50)
ALLOWED_HOSTS = ["*"]  # harness.pages.guard judges the name, with a sentence instead of a bare 400

INSTALLED_APPS = ["channels", "harness", "chat", "django.contrib.staticfiles"]
# Async only: Django's own middleware would send each request through a thread, and gzip would eat the stream.
MIDDLEWARE = ["harness.pages.headers.SecurityHeaders", "harness.pages.guard.Guard"]
ROOT_URLCONF = "harness.urls"
ASGI_APPLICATION = "harness.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATABASE_FILE,
        "OPTIONS": {
            "timeout": 20,  # seconds to wait for another writer
            "transaction_mode": "IMMEDIATE",  # a deferred transaction that turns writer fails at once, without waiting
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
        # A file, since threads that share an in-memory database lock each other out without waiting.
        "TEST": {"NAME": Path(gettempdir()) / f"streamscope-test-{os.getpid()}.sqlite3"},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
# Django puts TIME_ZONE in its place; gateway logs (harness/runs/gateway_logs.py) are in the machine's own.
MACHINE_TZ = os.environ.get("TZ", "")
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# A prompt may be 1 MB, which JSON escapes can double; the chat view sets its own bound of 2 MB.
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024 * 1024

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
        "django.request": {"level": "ERROR"},  # a 404 is the asker's affair
    },
}

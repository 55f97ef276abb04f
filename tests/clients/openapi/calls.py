"""What every generated call has besides, or has not: Schemathesis loads this file."""

import itertools
from urllib.parse import urlsplit

import schemathesis

callers = itertools.count(1)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Each call comes from an address of its own (the gateway trusts this machine as a proxy), because after some
    wrong secrets from one address none is looked at for a while. And no webhook is sent to a host that somebody has.
    """
    number = next(callers)
    case.headers = dict(case.headers or {})
    case.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    if isinstance(case.body, dict) and isinstance(target := case.body.get("notification_url"), str):
        try:
            host = urlsplit(target).hostname
        except ValueError:
            host = None
        if host and len(target) <= 2048:
            case.body = {**case.body, "notification_url": "https://hooks.example/gateway"}

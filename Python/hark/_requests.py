"""The parameters of requests, and what their replies tell, for both clients."""

from __future__ import annotations

import os
import time
from typing import Any, Mapping

from ._types import Primitive, Properties, Recorded, Time, time_text


def given(**params: Any) -> dict[str, Any]:
    """The parameters that are not None, which says that there is none."""
    return {name: value for name, value in params.items() if value is not None}


def event_params(
    name: str, properties: Properties | None, user: str | None, timestamp: Time | None, app: str | None,
    unattended: bool | None = None,
) -> dict[str, Any]:
    if unattended is None:
        unattended = os.environ.get("HARK_UNATTENDED", "") not in ("", "0")
    return given(
        name=name, properties=dict(properties) if properties else None, userId=user, timestamp=when(timestamp), app=app,
        unattended=unattended or None)


def log_params(
    message: str, level: str, metadata: Mapping[str, Any] | None, user: str | None, timestamp: Time | None,
    app: str | None,
) -> dict[str, Any]:
    return given(
        app=app, message=message, level=level, timestamp=when(timestamp), metadata=dict(metadata) if metadata else None,
        userId=user)


def when(timestamp: Time | None) -> str:
    """What came before it could be sent keeps its time, however long the daemon is away."""
    return time_text_now() if timestamp is None else time_text(timestamp)


def filter_params(name: str | None, user: str | None, app: str | None) -> dict[str, Any]:
    return given(name=name, userId=user, app=app)


def list_params(
    name: str | None, user: str | None, app: str | None, since: Time | None, until: Time | None, page: int,
    newest_first: bool,
) -> dict[str, Any]:
    params = {**filter_params(name, user, app), "limit": page}
    params.update(given(
        since=None if since is None else time_text(since), until=None if until is None else time_text(until),
        order="desc" if newest_first else None))
    return params


def turn_page(params: dict[str, Any], reply: Mapping[str, Any]) -> bool:
    """Sets the parameters to the next page of events; false after the last."""
    place = reply.get("nextAfterSeq")
    if place is not None:
        params["beforeSeq" if params.get("order") == "desc" else "afterSeq"] = place
    return place is not None


def session_params(user: str | None, metadata: Mapping[str, Primitive] | None, app: str | None) -> dict[str, Any]:
    return given(userId=user, app=app, metadata=dict(metadata) if metadata else None)


def present_params(survey: str | None, app: str | None) -> dict[str, Any]:
    return given(app=app) if survey is None else {"presentationId": survey}


def answer_params(
    survey: str, option: str | None, text: str | None, answers: Mapping[str, Any] | None
) -> dict[str, Any]:
    return given(
        presentationId=survey, option=option, text=text, answers=None if answers is None else dict(answers))


def recorded(result: Mapping[str, Any]) -> Recorded:
    return Recorded(result.get("id"), result.get("seq"), result.get("sessionId"), bool(result.get("duplicate", False)))


def only_reads(method: str) -> bool:
    """Whether a method may be called twice as well as once."""
    return method == "hello" or method.rpartition(".")[2] in (
        "list", "get", "current", "status", "pending", "results", "explain")


def time_text_now() -> str:
    now = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"

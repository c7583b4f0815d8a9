"""The values that come back."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from typing import Any, Mapping, Union

#: What a property may be. An integer has 64 bits, a float is finite. None is left out, as if there were no such property.
Primitive = Union[str, int, float, bool, None]
Properties = Mapping[str, Primitive]
#: A point in time: aware, or naive and then local time; or text as in ISO 8601 with an offset.
Time = Union[datetime.datetime, str]


def time_text(time: Time) -> str:
    """A time as the protocol writes it."""
    if isinstance(time, str):
        return time
    utc = time.astimezone(datetime.timezone.utc)
    return utc.strftime("%Y-%m-%dT%H:%M:%S.") + f"{utc.microsecond // 1000:03d}Z"


def read_time(text: str) -> datetime.datetime:
    """A time of the protocol, in UTC."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


@dataclass(frozen=True)
class Recorded:
    """An event or a line of log that is on the daemon's disk.

    Where it had to be sent again and was there already, ``id``, ``seq`` and ``session_id`` are None if more came after it.
    """

    id: str | None
    #: Its number, ascending over the whole store.
    seq: int | None
    session_id: str | None
    #: It had been recorded by an earlier send.
    was_there: bool = False


@dataclass(frozen=True)
class Event:
    """An event as it is stored."""

    id: str
    seq: int
    name: str
    timestamp: datetime.datetime
    session_id: str
    #: None: anonymous.
    user: str | None = None
    properties: dict[str, Primitive] = field(default_factory=dict)
    #: Of the process that sent it, as the kernel vouches for them.
    uid: int | None = None
    pid: int | None = None

    @staticmethod
    def read(source: Mapping[str, Any]) -> Event:
        origin = source.get("source") or {}
        return Event(
            id=source["id"],
            seq=source["seq"],
            name=source["name"],
            timestamp=read_time(source["timestamp"]),
            session_id=source["sessionId"],
            user=source.get("userId"),
            properties=dict(source.get("properties") or {}),
            uid=origin.get("uid"),
            pid=origin.get("pid"),
        )


@dataclass(frozen=True)
class Session:
    """A stretch of time that events belong to."""

    id: str
    app: str
    started_at: datetime.datetime
    #: None: it runs.
    ended_at: datetime.datetime | None
    #: None: anonymous.
    user: str | None
    uid: int
    metadata: dict[str, Primitive]

    @staticmethod
    def read(source: Mapping[str, Any]) -> Session:
        ended = source.get("endedAt")
        return Session(
            id=source["id"],
            app=source["app"],
            started_at=read_time(source["startedAt"]),
            ended_at=read_time(ended) if ended else None,
            user=source.get("userId"),
            uid=source["uid"],
            metadata=dict(source.get("metadata") or {}),
        )


@dataclass(frozen=True)
class Survey:
    """One showing of a survey to one user."""

    #: Of this showing; answers name it.
    id: str
    #: Of the survey in the file.
    survey: str
    #: ``scheduled``, ``ready``, ``presented``, ``answered``, ``dismissed`` or ``cancelled``.
    state: str
    title: str
    message: str
    #: All that the daemon says of it: the kind of answer it wants, options, questions.
    details: dict[str, Any]

    @staticmethod
    def read(source: Mapping[str, Any]) -> Survey:
        return Survey(
            id=source["presentationId"],
            survey=source["surveyId"],
            state=source["state"],
            title=source.get("title", ""),
            message=source.get("message", ""),
            details=dict(source),
        )

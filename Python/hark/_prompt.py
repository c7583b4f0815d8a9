"""Asking whoever is there, and waiting for the answer."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from ._errors import ConnectionLost, NoAnswer, RequestError, Unavailable
from ._requests import given

if TYPE_CHECKING:
    from ._client import Client

#: Longer than any prompt waits.
_LONG = 32 * 86_400.0


def prompt_params(
    question: str, options: Sequence[str] | None, message: str | None, multiple: bool, text: bool, scale: int | None,
    kind: Mapping[str, Any] | None, timeout: float | None, default: Any, name: str | None, uids: Sequence[int] | None, app: str | None,
) -> dict[str, Any]:
    return given(
        question=question, options=None if options is None else list(options), message=message,
        multiple=multiple or None, text=text or None, scale=scale,
        kind=None if kind is None else dict(kind),
        timeoutSeconds=None if timeout is None else max(1, round(timeout)), default=default, name=name,
        uids=None if uids is None else list(uids), app=app,
        # A script need not hang where nobody is, unless it says for how long.
        requirePresenter=True if timeout is None else None, promptId=str(uuid.uuid4()))


def ask(client: Client, params: Mapping[str, Any]) -> Any:
    """Asks, waits for the answer over broken connections, and takes the question back when it is not waited for."""
    prompt = {"promptId": params["promptId"]}
    lost = 0
    asked = False
    try:
        while True:
            try:
                if not asked:
                    # Under its id it is asked once, however often this is sent.
                    client.call("prompt.ask", params)
                    asked = True
                over = client.call("prompt.wait", prompt, timeout=_LONG)["prompt"]
                if over.get("reason") == "nobody" and "default" in params:
                    return params["default"]
                return _answer(over)
            except (ConnectionLost, Unavailable) as error:
                # Who cannot ask at all is told so.
                if isinstance(error, Unavailable) and not asked and not lost:
                    raise
            except RequestError as error:
                if error.reason == "notFound" and error.path == "$.params.requirePresenter":
                    if "default" in params:
                        return params["default"]
                    raise NoAnswer("nobody", error.message) from None
                if error.reason != "shuttingDown":
                    raise
            lost += 1
            time.sleep(min(0.1 * lost, 1.0))
    except BaseException:
        if asked:
            try:
                client.call("prompt.cancel", prompt, timeout=1)
            except Exception:  # noqa: BLE001 - the daemon takes it back by itself after a while
                pass
        raise


def _answer(prompt: Mapping[str, Any]) -> Any:
    answers = prompt.get("answers")
    if answers is None and prompt.get("reason") == "nobody":
        raise NoAnswer("nobody", "nobody is there to ask: what was to show the question could not")
    if answers is None:
        words = {
            "dismissed": "the question was dismissed", "expired": "nobody answered in time",
            "cancelled": "the question was taken back"}
        raise NoAnswer(prompt["state"], words.get(prompt["state"], prompt["state"]))
    answer = next(iter(answers.values()))
    other = answers.get("answer.other")
    if other is None:
        return answer
    return [other if value == "other" else value for value in answer] if isinstance(answer, list) else other

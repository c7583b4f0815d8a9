import HarkCore
import HarkWire

/// Chapters about all methods.
extension ProtocolDocument {
    static let pythonExample = #"""
        import json, os, socket
        get, home = os.environ.get, os.path.expanduser("~/.local/state")
        runtime = get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
        state = get("HARK_STATE") or (get("XDG_STATE_HOME") or home) + "/hark"
        places = [get("HARK_SOCKET") or runtime + "/hark/hark.sock", state + "/hark.sock", "/run/hark/hark.sock"]
        hark = socket.socket(socket.AF_UNIX)
        hark.connect(next(filter(os.path.exists, places), places[0]))
        hark.sendall(b'{"id":1,"method":"event.record","params":{"name":"door_opened"}}\n')
        print(json.loads(hark.makefile().readline())["result"]["id"])
        """#

    static let shellExample = #"""
        for socket in "${HARK_SOCKET:-${XDG_RUNTIME_DIR:-/run/user/$(id -u)}/hark/hark.sock}" \
            "${HARK_STATE:-${XDG_STATE_HOME:-$HOME/.local/state}/hark}/hark.sock" /run/hark/hark.sock; do
            [ -S "$socket" ] && break
        done
        echo '{"id":1,"method":"event.record","params":{"name":"door_opened"}}' |
            socat -t 60 - UNIX-CONNECT:"$socket"
        """#

    static var connecting: String {
        """
        The socket is a Unix stream socket. A program looks for it in this order:

        1. the path in `HARK_SOCKET`, if that is set;
        2. the user's own daemon: `$XDG_RUNTIME_DIR/hark/hark.sock`; where the variable is not set,
           `/run/user/UID/hark/hark.sock`; and without any runtime folder `hark.sock` in the user's state folder
           (`HARK_STATE`, else `$XDG_STATE_HOME/hark`, else `~/.local/state/hark`);
        3. the daemon of the machine: `\(SocketPath.system)`; not for an account that has enabled its own
           (`~/.config/systemd/user/sockets.target.wants/harkd.socket` is there), logged in or not.

        There is no greeting and no password: the kernel tells the daemon which user connects. From a shell, with `socat`:

        \(code([shellExample], in: "sh"))
        In Python:

        \(code([pythonExample], in: "python"))
        By hand, `socat READLINE UNIX-CONNECT:PATH` makes a console, and `hark call METHOD '{…}'` sends one request.

        """
    }

    /// A conversation on one connection; the reply is nil if there is none.
    static let conversation: [(request: String, reply: String?)] = [
        (
            #"{"id":1,"method":"event.record","params":{"name":"tea_made","properties":{"cups":2,"milk":false}}}"#,
            """
            {"jsonrpc":"2.0","id":1,"result":{"id":"0199e0f4-8c7a-7000-8000-0000000000a1","seq":2,\
            "sessionId":"0199e0f4-8c7a-7000-8000-000000000000"}}
            """
        ),
        (#"{"method":"event.record","params":{"name":"heartbeat"}}"#, nil),
        (
            #"{"id":"third","method":"session.current","params":{"colour":"red"}}"#,
            """
            {"jsonrpc":"2.0","id":"third","result":{"session":{"id":"0199e0f4-8c7a-7000-8000-000000000000",\
            "userId":null,"app":"default","uid":1000,"startedAt":"2026-11-21T11:08:00.123Z","endedAt":null,\
            "anonymous":true,"metadata":{}},"warnings":["unknown member 'colour'"]}}
            """
        ),
        (
            #"{"id":4,"method":"event.record","params":{"name":"tea_made","properties":{"cups":[2,3]}}}"#,
            """
            {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"the property 'cups' must be a string, a number or \
            a bool; put nested values in as text, or under keys of their own ('hark record --stdin \
            --flatten' makes them)","data":{"reason":"invalidParams","path":"$.params.properties.cups"}}}
            """
        ),
        (
            #"{"id":5,"method":"event.recrod","params":{"name":"tea_made"}}"#,
            """
            {"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"there is no method 'event.recrod'; did you mean \
            'event.record'? ('hello' lists them all)","data":{"reason":"methodNotFound","path":"$.method"}}}
            """
        ),
    ]

    static var envelopes: String {
        let lines = conversation.flatMap { ["→ \($0.request)", $0.reply.map { "← \($0)" } ?? "  (no reply)"] }
        return """
            A request is one JSON object on one line, in UTF-8, that ends with a newline (`\\n`, or `\\r\\n`): a call of
            [JSON-RPC 2.0](https://www.jsonrpc.org/specification). Here is a conversation; `→` marks what the client sends
            and `←` what it gets:

            \(code(lines))
            - `method` is a string, `params` an object; `params` may be left out, and so may `jsonrpc` (else it is `"2.0"`).
            - `id` is a string or an integer of the client's choice, which the reply repeats. A request without `id` is
              **fire-and-forget**: it is carried out and gets no reply, not even an error. A line that is no request is answered
              under the `id` null if no id can be read.
            - A reply has `result`, always an object, or `error`. A request that stores something is answered when that is **on
              disk**: an acknowledged record survives the end of the daemon and a power cut.
            - **Pipelining**: send as many lines as you like without waiting. (There are no batches in brackets.) Requests
              are carried out in the order in which they came, and those that store are answered in that order; replies
              that only read may overtake them. Each method says below which it is. A client that stops sending (half
              closes) still gets all its replies.
            - An unknown member is no error; it is listed in `warnings` of the result, so that a misspelt one is found. `null`
              means the same as leaving a parameter out, except where a method says otherwise.
            - No object may have a key twice. An integer has at most 64 bits with a sign.

            """
    }

    static var sendingAgain: String {
        """
        A client that loses its connection before an answer cannot know whether what it sent was stored. A client that
        numbers its records can send them again, and each is recorded once:

        \(code(
            [
                #"{"id":7,"method":"event.record","params":{"name":"sold","producer":{"id":"till-1","seq":7}}}"#
            ]))
        - [event.record](#eventrecord) and [log.write](#logwrite) take `producer`. `id` names the producer; the same `id` in
          another `app`, or from another uid, is another producer. `seq` is an integer of at least 1 that grows with each
          send; it may leave gaps. A program with several connections is one producer only if it sends in the order of its
          numbers.
        - A send whose `seq` is not above the highest recorded number of its producer changes nothing. It is answered like
          the first, with `"duplicate": true`. If the number is the highest and the record is still there, `id`, `seq` and
          `sessionId` of the reply are those of that record; otherwise they are null.
        - **Not answered?** Send it again under the same number, with all that followed it, in order and before anything new.
          **Refused?** Nothing was stored, and the number is not used up. Give the next attempt a new number.
        - The number is stored in the same transaction as the record: it holds over restarts, crashes and power cuts. Each user
          of the machine may have \(Limits.producersPerUser) producers; beyond that, the producers that were silent
          for the longest are forgotten. `event.clear` with `all` forgets them too; clearing a user or a session does not, as no
          producer belongs to a user.
        - A daemon that knows producers says so in `features` of [hello](#hello). An older daemon warns of an unknown
          member, and records a repeated send a second time.

        """
    }

    static var values: String {
        table(
            ["value", "written as"],
            [
                [
                    "time",
                    "ISO-8601 in UTC with milliseconds, `2026-11-21T11:08:00.123Z`. These are read too: any offset (`+01:00`, "
                        + "`+0100`, `+01`), a space instead of `T`, fewer digits, what `date`, `journalctl` and Python's "
                        + "`str()` print, `@1700000000` (seconds since 1970), `10m` (ten minutes ago); without an offset, the "
                        + "time zone of the daemon's machine applies",
                ],
                ["id", "a UUID, `0199e0f4-8c7a-7000-8000-000000000000`; new ones (version 7) sort by time"],
                [
                    "`seq`",
                    "the number of a record: ascending over the whole store, never used twice, with gaps; the start and the end "
                        + "of a session have numbers too",
                ],
                [
                    "property",
                    "a string, an integer (64 bits), a double or a bool; `1` is an integer and `1.0` a double, and each "
                        + "comes back as what it was",
                ],
                ["`source`", "the `uid` and `pid` of the process that sent an event, as the kernel reports them"],
            ])
    }

    static var sessions: String {
        """
        Events belong to sessions. Every user of the machine (uid) has one current session for each `app`, a name of the
        client's choice that keeps programs apart. A session may belong to a `userId`, also of the client's choice; without
        one it is anonymous. Recording without a session starts an anonymous one.

        The daemon of a user serves that user and root. The daemon of the machine (`harkd --system`) serves everybody:
        each user sees and clears the records of their own uid, while root, the daemon's own user and the members of one
        group (`adminGroup`) see and manage everything. A record that a user may not see is `notFound`.

        A **hub** takes over the records of other machines. Each machine is like one more account of the hub: only users who
        see everything see its records, and retention applies to each machine by itself. A record of a machine keeps its id,
        time and source, and gets a `seq` of the hub. Its member `origin` has the `machine`, its `group` and the `seq` on
        that machine. Its session has `machine` and `group`, and the `uid` on that machine. Lists, streams and counts take
        `machine` and `group` as filters; without them, they cover all machines and the hub itself. In conditions and
        statistics, the same are called `@machine` and `@group`.

        """
    }

    static var streams: String {
        """
        `event.subscribe` begins a stream. After its reply come notifications, which are lines with `method` and without
        `id`, on the same connection and between other replies. `params.subscription` is the number in the reply.

        \(table(
            ["notification", "its params"],
            [
                ["`event`", "`subscription`, `event`: as in [event.list](#eventlist)"],
                [
                    "`session.started`, `session.ended`",
                    "`subscription`, `seq`, `session`: as in [session.start](#sessionstart)",
                ],
                ["`log`", "of [log.subscribe](#logsubscribe)"],
                ["`survey.…`", "of [survey.subscribe](#surveysubscribe)"],
                ["`counter.changed`", "of [counter.subscribe](#countersubscribe)"],
                ["`execution.fired`", "of [execution.subscribe](#executionsubscribe)"],
                ["`subscription.closed`", "`subscription`, `reason` and `message`, as in an error; the stream is over"],
            ]))
        Notifications come in the order of `seq`, and only after their records are on disk. To resume after a broken
        connection, subscribe with `afterSeq` set to the last `seq` seen: nothing is lost or doubled. The daemon does not
        wait for slow clients. A client with more unread output than the limit is disconnected; it gets
        `subscription.closed` with the reason `slowReader` before, if that can still be sent.

        """
    }
}

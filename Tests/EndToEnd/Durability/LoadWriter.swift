import Foundation
import HarkWire

/// A client on a thread of its own that records numbered events until the daemon is gone or it is told to end. It remembers the
/// requests and the replies.
final class LoadWriter: @unchecked Sendable {
    struct Style: Sendable {
        let app: String
        /// The number of requests that are sent before their replies are read; 1 waits for each.
        let window: Int
        /// Of that many requests in a row only the last wants a reply.
        var silence = 1
        /// The number of windows after which a session is started; 0 for never.
        var sessionEvery = 0
    }

    let label: String
    let style: Style

    // Everything below is the thread's own until `join` has returned, but for `progress`, which has a lock.
    private(set) var sent = 0
    private(set) var acknowledged: [RecordReply] = []
    private(set) var startedSessions: [String] = []
    private(set) var sessionsSent = 0
    private(set) var oddReplies: [String] = []
    /// The requests that want a reply, and where each ends in all that was sent.
    private var requests: [(number: Int, end: Int)] = []

    private let client: SocketClient
    private let done = DispatchSemaphore(value: 0)
    private let lock = NSLock()
    private var progressCount = 0
    private var isToldToEnd = false

    init(_ label: String, _ style: Style, to daemon: DaemonProcess) throws {
        self.label = label
        self.style = style
        client = try daemon.connect()
        Thread.detachNewThread { [self] in
            work()
            done.signal()
        }
    }

    /// How many requests were acknowledged so far.
    var progress: Int { lock.withLock { progressCount } }

    /// Asks for the end: the window under way is completed.
    func end() { lock.withLock { isToldToEnd = true } }

    func join() { done.wait() }

    /// The requests that want a reply and that the kernel took to the last byte.
    var received: [Int] { requests.filter { $0.end <= client.sentBytes }.map(\.number) }

    /// The name and the properties of an event, as sent and as they should be read again.
    func content(_ number: Int) -> (name: String, properties: String) {
        (
            "load_\(number % 7)",
            #"{"token":"\#(label)/\#(number)","n":\#(number),"half":0.5,"odd":\#(number % 2 == 1),"#
                + #""text":"grüß \"dich\"\n"}"#
        )
    }

    private func work() {
        // An error means that the daemon is gone, which the tests expect.
        do {
            var window = 0
            while !lock.withLock({ isToldToEnd }) {
                if style.sessionEvery > 0, window % style.sessionEvery == 0 { try startSession() }
                try record()
                window += 1
            }
            client.finishSending()
        } catch {}
        // Replies that the daemon sent before its end can still be read.
        while let line = try? client.readLine() { take(line) }
    }

    private func startSession() throws {
        sessionsSent += 1
        let reply = try client.ask(
            "session.start",
            #"{"app":"\#(style.app)","userId":"user-\#(sessionsSent % 3)","metadata":{"token":"\#(label)/\#(sessionsSent)"}}"#
        )
        guard let id = reply.result?["session"]?["id"]?.stringValue else {
            oddReplies.append(reply.description)
            return
        }
        startedSessions.append(id)
    }

    private func record() throws {
        var text = ""
        var replies = 0
        for index in 0..<style.window {
            let (name, properties) = content(sent)
            let wantsReply = index % style.silence == style.silence - 1
            let id = wantsReply ? "\"id\":\(sent)," : ""
            text +=
                #"{\#(id)"method":"event.record","params":{"name":"\#(name)","app":"\#(style.app)","properties":\#(properties)}}"#
                + "\n"
            if wantsReply { requests.append((sent, client.sentBytes + text.utf8.count)) }
            sent += 1
            replies += wantsReply ? 1 : 0
        }
        try client.send(text)
        for _ in 0..<replies {
            guard let line = try client.readLine() else { throw Failure("the daemon is gone") }
            take(line)
        }
    }

    private func take(_ line: [UInt8]) {
        guard let reply = RecordReply(line) else {
            oddReplies.append(String(decoding: line, as: UTF8.self))
            return
        }
        acknowledged.append(reply)
        lock.withLock { progressCount += 1 }
    }
}

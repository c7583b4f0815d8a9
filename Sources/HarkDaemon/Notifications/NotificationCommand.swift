import CSystemd
import Glibc
import HarkCore
import HarkSystem
import HarkWire

/// `harkd --notify SECONDS`: the notify hook that is there without any setting. A program of its own, so that the daemon
/// has no business with the bus of a session, and `hark agent` shows notifications in just the same way.
///
/// It is given a survey on standard input, prints what a notify hook prints, and takes the notification away when it is
/// told to end (SIGTERM), or when whoever started it ends.
enum NotificationCommand {
    /// As shells have it: there is no such program.
    static let noProgram: Int32 = 127
    private static let dataError: Int32 = 65
    private static let failure: Int32 = 1
    private static let maxBytes = 16 << 20

    /// - Parameter complain: says something to whoever started it.
    static func run(expireSeconds: Int, complain: @escaping @Sendable (String) -> Void) -> Int32 {
        hark_end_with_parent()
        DaemonActor.bindToCurrentThread()
        return DaemonActor.assumeIsolated {
            do {
                let loop = try EventLoop()
                let shown = Shown()
                try loop.onSignal(SIGTERM) { shown.end() }
                try loop.onSignal(SIGINT) { shown.end() }
                guard let content = read() else {
                    complain("what came on standard input is no survey")
                    return dataError
                }
                shown.notification = ShownNotification(content, expireSeconds: expireSeconds, loop: loop) { outcome in
                    loop.exit(code: tell(outcome, complain))
                }
                shown.notification?.begin()
                return try loop.run()
            } catch {
                complain("\(error)")
                return failure
            }
        }
    }

    @DaemonActor
    private final class Shown {
        var notification: ShownNotification?

        func end() { notification?.end() }
    }

    private static func read() -> NotificationContent? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count < maxBytes {
            let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        return (try? JSONDocument(bytes, .json).value).flatMap(NotificationContent.init)
    }

    private static func tell(_ outcome: ShownNotification.Outcome, _ complain: (String) -> Void) -> Int32 {
        switch outcome {
        case .chosen(let words):
            print(words)
            return 0
        case .closed: return 0
        case .failed(let reason):
            complain(reason)
            return failure
        // Whoever started it knows better how often that is to be said.
        case .noProgram: return noProgram
        }
    }
}

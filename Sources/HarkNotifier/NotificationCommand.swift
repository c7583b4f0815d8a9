import CSystemd
import Glibc
import HarkCore
import HarkSystem
package import HarkWire

/// `harkd --notify SECONDS`: the default notify hook. It is a program of its own, so that the daemon does not need the bus of
/// a session, and `hark agent` shows notifications in the same way.
///
/// It reads a survey from standard input, prints the output of a notify hook, and removes the notification on SIGTERM, or when
/// its parent ends. With `--unless-quiet` it does not wait while notifications would disturb, but ends with `notNow`;
/// `harkd --while-quiet` waits for the end of that time.
package enum NotificationCommand {
    /// The code of shells for a missing program.
    static let noProgram: Int32 = 127
    /// The code of sysexits(3) for a later retry, here once it is no longer quiet.
    package static let notNow: Int32 = 75
    /// The first word of the output that says why the notification is not shown now.
    static let awayWord = "away"
    private static let dataError: Int32 = 65
    private static let failure: Int32 = 1
    private static let maxBytes = 16 << 20

    /// - Parameter complain: Reports a problem to the parent.
    package static func run(_ terms: NotificationTerms, complain: @escaping @Sendable (String) -> Void) -> Int32 {
        onLoop(complain) { loop in
            let shown = Shown()
            try loop.onSignal(SIGTERM) { shown.end() }
            try loop.onSignal(SIGINT) { shown.end() }
            try loop.onSignal(SIGUSR1) { shown.notification?.showAnew() }
            guard let content = read() else {
                complain("what came on standard input is no survey")
                return dataError
            }
            shown.notification = ShownNotification(content, terms, loop: loop) { outcome in
                loop.exit(code: tell(outcome, complain))
            }
            shown.notification?.begin()
            return try loop.run()
        }
    }

    /// Waits until notifications disturb nobody.
    package static func waitWhileQuiet(complain: @escaping @Sendable (String) -> Void) -> Int32 {
        onLoop(complain) { loop in
            try loop.onSignal(SIGTERM) { loop.exit(code: 0) }
            try loop.onSignal(SIGINT) { loop.exit(code: 0) }
            let bus = try? MessageBus(.session, loop: loop)
            try bus?.onEnd { loop.exit(code: 0) }
            let quiet = QuietTime(bus, loop: loop) { isQuiet in
                if !isQuiet { loop.exit(code: 0) }
            }
            if let bus {
                try bus.onOwner(of: NotificationServer.name) { [weak quiet] _, now in
                    if !now.isEmpty { quiet?.serverChanged() }
                }
            }
            quiet.ask()
            return try withExtendedLifetime(quiet) { try loop.run() }
        }
    }

    /// Waits until notifications would disturb, or nobody would see them, and then for the end of that time.
    package static func waitForReturn(complain: @escaping @Sendable (String) -> Void) -> Int32 {
        onLoop(complain) { loop in
            try loop.onSignal(SIGTERM) { loop.exit(code: failure) }
            try loop.onSignal(SIGINT) { loop.exit(code: failure) }
            let bus = try? MessageBus(.session, loop: loop)
            try bus?.onEnd { loop.exit(code: failure) }
            var wasQuiet = false
            let quiet = QuietTime(bus, loop: loop) { isQuiet in
                if isQuiet { wasQuiet = true } else if wasQuiet { loop.exit(code: 0) }
            }
            quiet.ask()
            return try withExtendedLifetime(quiet) { try loop.run() }
        }
    }

    /// Parses the reason in the output of `tell`; nil if there is none.
    package static func absence(in output: [UInt8]) -> Absence? {
        let words = String(decoding: output.prefix(64), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 2, words[0] == awayWord else { return nil }
        return Absence(rawValue: String(words[1]))
    }

    private static func onLoop(
        _ complain: (String) -> Void, _ body: @DaemonActor (EventLoop) throws -> Int32
    ) -> Int32 {
        hark_end_with_parent()
        DaemonActor.bindToCurrentThread()
        return withoutActuallyEscaping(body) { body in
            do {
                return try DaemonActor.assumeIsolated { try body(EventLoop()) }
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
        case .quiet(let reason):
            print("\(awayWord) \(reason.rawValue)")
            return notNow
        case .failed(let reason):
            complain(reason)
            return failure
        // The parent knows how often to report that.
        case .noProgram: return noProgram
        }
    }
}

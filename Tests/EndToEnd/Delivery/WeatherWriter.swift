import Foundation
import HarkWire

/// Somebody who writes numbered events and log entries, in turn, as fast as they are taken, until enough are written or
/// the daemon is gone.
final class WeatherWriter: @unchecked Sendable {
    /// A count, as far as this side can know it.
    struct Count {
        /// Acknowledged: they are on disk.
        var stored = 0
        /// Sent, and perhaps stored.
        var sent = 0

        static func + (left: Count, right: Count) -> Count {
            Count(stored: left.stored + right.stored, sent: left.sent + right.sent)
        }
    }

    /// The number of written entries so far, in this run and those before it.
    struct Tally {
        /// The number of the next.
        var next = 0
        var all = Count()
        /// Log entries of the level `error`.
        var errors = Count()
        /// The numbers that were acknowledged, in the order of their replies.
        var stored: [Int] = []

        fileprivate mutating func acknowledge(_ number: Int) {
            all.stored += 1
            if WeatherWriter.isError(number) { errors.stored += 1 }
            stored.append(number)
        }

        /// The names and numbers that properties bear, of everything acknowledged.
        func marks(of name: String) -> [(writer: String, number: Int)] {
            stored.map { (WeatherWriter.mark(name, $0), $0 / 2) }
        }

        /// The same of the log entries of level `error`.
        func errorMarks(of name: String) -> [(writer: String, number: Int)] {
            stored.filter(WeatherWriter.isError).map { (WeatherWriter.mark(name, $0), $0 / 2) }
        }
    }

    let name: String
    private let window: Int
    private let client: SocketClient
    private let done = DispatchSemaphore(value: 0)
    // The following properties are used with the lock held.
    private let lock = NSLock()
    private var state: Tally
    private var fault: String?

    /// Events and log entries are numbered apart, as they go in lanes of their own.
    private static func mark(_ name: String, _ number: Int) -> String { "\(name)\(number % 2)" }

    /// One of forty log entries is an error.
    private static func isError(_ number: Int) -> Bool { number % 40 == 1 }

    /// - Parameter count: how many to write.
    init(_ name: String, _ daemon: DaemonProcess, from tally: Tally, count: Int, window: Int) throws {
        self.name = name
        self.window = window
        state = tally
        client = try daemon.connect()
        Thread.detachNewThread { [self] in
            do {
                try write(count)
            } catch {
                lock.withLock { fault = "\(error)" }
            }
            done.signal()
        }
    }

    var tally: Tally { lock.withLock { state } }

    /// Throws what went wrong, if something did.
    func check() throws {
        if let fault = lock.withLock({ fault }) { throw Failure("\(name): \(fault)") }
    }

    /// Waits until all is written or the daemon is gone; true if all is written.
    func join() throws -> Bool {
        guard done.wait(timeout: .now() + 60) == .success else { throw Failure("\(name) does not end") }
        return lock.withLock { fault == nil }
    }

    private func write(_ count: Int) throws {
        var left = count
        while left > 0 {
            let size = min(window, left)
            let first = lock.withLock { state.next }
            let numbers = first...first + size - 1
            lock.withLock {
                state.next += size
                state.all.sent += size
                state.errors.sent += numbers.count(where: WeatherWriter.isError)
            }
            try client.send(numbers.map(request).joined())
            for _ in numbers {
                guard let line = try client.readLine(within: 60) else { throw Failure("the daemon is gone") }
                var rest = line[...]
                guard rest.skip(#"{"jsonrpc":"2.0","id":"#), let number = rest.number(), rest.skip(#","result":"#)
                else { throw Failure("refused: \(String(decoding: line, as: UTF8.self))") }
                lock.withLock { state.acknowledge(Int(number)) }
            }
            left -= size
        }
    }

    /// Even numbers are events, odd ones log entries.
    private func request(_ number: Int) -> String {
        let properties =
            #"{"w":"\#(WeatherWriter.mark(name, number))","n":\#(number / 2),"note":"as long as most of them are, more or less"}"#
        if number % 2 == 0 {
            return
                #"{"id":\#(number),"method":"event.record","params":{"name":"tick","app":"\#(name)","properties":\#(properties)}}"#
                + "\n"
        }
        let level = WeatherWriter.isError(number) ? "error" : "info"
        return
            #"{"id":\#(number),"method":"log.write","params":{"message":"line \#(number)","level":"\#(level)","app":"\#(name)","metadata":\#(properties)}}"#
            + "\n"
    }
}

import Glibc

/// The program `hark-fleet-load`, which plays all machines of a fleet. It is built with this one.
final class FleetLoad {
    private let child: Child
    private let log: String

    init(_ arguments: [String], log: String) throws {
        let own = try absolutePath("/proc/self/exe")
        guard let end = own.lastIndex(of: "/") else { throw Failure("\(own) is in no folder") }
        let program = own[...end] + "hark-fleet-load"
        guard access(String(program), X_OK) == 0 else {
            throw Failure("there is no \(program); `make bench` builds it")
        }
        unlink(log)
        self.log = log
        child = try Child([String(program)] + arguments, log: log)
    }

    /// Waits until it prints a word, and returns the words after it.
    func wait(for word: String, seconds: Double) throws -> [Substring] {
        let end = now() + UInt64(seconds * 1e9)
        while true {
            let said = try access(log, F_OK) == 0 ? textOfFile(log) : ""
            // The last line may be incomplete.
            for line in said.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                let words = line.split(separator: " ")
                if words.first.map(String.init) == word { return Array(words.dropFirst()) }
            }
            guard child.isRunning, now() < end else {
                throw Failure("hark-fleet-load has not said '\(word)' within \(seconds) s: \(said)")
            }
            usleep(5_000)
        }
    }

    /// The time at which it prints a word, in nanoseconds of the monotonic clock.
    func time(of word: String, seconds: Double) throws -> Double {
        guard let time = try wait(for: word, seconds: seconds).first.flatMap({ Double($0) }) else {
            throw Failure("hark-fleet-load has said '\(word)' without a time")
        }
        return time
    }

    func end() throws { try child.end() }
}

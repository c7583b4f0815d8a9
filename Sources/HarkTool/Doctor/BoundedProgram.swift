import Glibc

/// A program that is run to its end, or killed when that does not come.
enum BoundedProgram {
    enum Outcome: Sendable, Equatable {
        /// With its exit code, or 128 and the signal, and what it wrote to standard output and errors.
        case ended(CInt, String)
        /// There is no such program, or it cannot be started.
        case absent(String)
        case tookTooLong

        /// What it wrote, if it ended with 0.
        var success: String? {
            if case .ended(0, let output) = self { output } else { nil }
        }
    }

    private static let mostBytes = 1 << 18

    /// - Parameter patience: for how long, in seconds.
    static func run(_ words: [String], patience: Double) -> Outcome {
        let program: ChildProgram
        do throws(Errno) {
            program = try ChildProgram(words, captures: true)
        } catch {
            return .absent(error.text)
        }
        defer { if let output = program.output { close(output) } }
        let end = ContinuousClock.now + .seconds(patience)
        var bytes: [UInt8] = []
        while true {
            var status: CInt = 0
            let ended = waitpid(program.pid, &status, WNOHANG)
            // Whoever holds the other end of the pipe beyond that is not waited for.
            drain(program.output, into: &bytes)
            if ended == program.pid {
                let signal = status & 0x7F
                return .ended(
                    signal == 0 ? (status >> 8) & 0xFF : 128 + signal, String(decoding: bytes, as: UTF8.self))
            }
            guard ended == 0 else { return .absent(Errno(errno).text) }
            guard ContinuousClock.now < end else {
                kill(program.pid, SIGKILL)
                // One that the kernel does not let go is left to it.
                waitpid(program.pid, &status, WNOHANG)
                return .tookTooLong
            }
            var entry = pollfd(fd: program.output ?? -1, events: Int16(POLLIN), revents: 0)
            // At the end of its output it is about to end itself.
            if poll(&entry, 1, 10) > 0, entry.revents & Int16(POLLIN) == 0 { poll(nil, 0, 5) }
        }
    }

    private static func drain(_ output: CInt?, into bytes: inout [UInt8]) {
        guard let output else { return }
        var room = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(output, &room, room.count)
            guard count > 0 else { return }
            if bytes.count < mostBytes { bytes += room[..<count] }
        }
    }
}

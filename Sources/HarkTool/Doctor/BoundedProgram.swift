import Glibc

/// Runs a program to its end, and kills it on timeout.
enum BoundedProgram {
    enum Outcome: Sendable, Equatable {
        /// Its exit code, or 128 plus the signal, and its standard output and errors.
        case ended(CInt, String)
        /// The program does not exist or cannot be started.
        case absent(String)
        case tookTooLong

        /// The output, if the exit code is 0.
        var success: String? {
            if case .ended(0, let output) = self { output } else { nil }
        }
    }

    private static let mostBytes = 1 << 18

    /// - Parameter patience: The timeout in seconds.
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
            let code = program.endedWith()
            // Other processes that keep the pipe open are not waited for.
            drain(program.output, into: &bytes)
            if let code { return .ended(code, String(decoding: bytes, as: UTF8.self)) }
            guard ContinuousClock.now < end else {
                kill(program.pid, SIGKILL)
                // A process that the kernel cannot end yet is left to it.
                _ = program.endedWith()
                return .tookTooLong
            }
            var entry = pollfd(fd: program.output ?? -1, events: Int16(POLLIN), revents: 0)
            // The output is closed, so the program is about to end.
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

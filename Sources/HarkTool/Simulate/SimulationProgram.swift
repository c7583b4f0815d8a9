import Glibc
import HarkClient
import HarkWire

/// `harkd --simulate`, which has the engine. It ends, and leaves nothing, when this process does.
final class SimulationProgram {
    private let program: ChildProgram
    /// The program's input: a socket, as a pipe without a reader would end this process.
    private var input: CInt
    private let output: CInt
    private var reader = LineReader(capacity: 1 << 16)
    private var gathered: [UInt8] = []
    private var isOver = false

    private static let most = 1 << 17

    /// - Parameter words: The arguments after `--simulate`.
    init(_ words: [String]) throws(ToolError) {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw ToolError(.unavailable, "no socket can be made: \(String(cString: strerror(errno)))")
        }
        defer { close(ends[1]) }
        do throws(Errno) {
            program = try ChildProgram(
                [OwnProgram.daemon, "--simulate"] + words, captures: true, keepsErrors: true, reading: ends[1])
        } catch {
            close(ends[0])
            throw ToolError(
                .unavailable, "harkd, which has the engine, cannot be run: \(error.text)",
                hint: "Put it into the folder of hark, or on the PATH.")
        }
        input = ends[0]
        output = program.output ?? -1
    }

    deinit {
        if input >= 0 { close(input) }
        close(output)
        // It removes its folder first.
        if !isOver { program.wait() }
    }

    /// Sends a line to the program.
    func send(_ line: [UInt8]) throws {
        gathered += line
        if gathered.count >= Self.most { try flush() }
    }

    private func flush() throws {
        var sent = 0
        while sent < gathered.count {
            let count = gathered.withUnsafeBytes {
                Glibc.send(input, $0.baseAddress?.advanced(by: sent), $0.count - sent, CInt(MSG_NOSIGNAL))
            }
            if count > 0 { sent += count } else if errno != EINTR { throw failure() }
        }
        gathered.removeAll(keepingCapacity: true)
    }

    /// Says that all was sent.
    func finish() throws {
        try send(Array(#"{"end":true}"#.utf8) + [.newline])
        try flush()
        close(input)
        input = -1
    }

    /// Returns the next line that it says; nil once it has ended in order.
    func line() throws -> JSONText? {
        while true {
            if let line = reader.next() { return JSONText(line) }
            Input.wait(for: output)
            switch reader.fill({ read(output, $0, $1) }) {
            case .bytes, .nothing: continue
            case .end:
                let code = wait()
                guard code == 0 else { throw Self.failure(code) }
                return nil
            case .failed, .tooLong: throw Self.failure(nil)
            }
        }
    }

    private func wait() -> CInt {
        isOver = true
        return program.wait()
    }

    private func failure() -> any Error { Self.failure(wait()) }

    /// The program has printed its errors itself.
    private static func failure(_ code: CInt?) -> any Error {
        guard let code, code != 0, let exit = ExitCode(rawValue: code) else {
            return ToolError(
                .software, "harkd --simulate ended before it gave a result",
                hint: "Use hark and harkd of one version.")
        }
        return QuietExit(exit: exit)
    }
}

internal import CLinux
import Glibc

/// A command of this tool, run as a separate program, and its output. It is killed on timeout, when it writes too much,
/// or when no caller waits for it any more.
final class ProgramRun {
    enum Outcome {
        /// - Parameter isCut: Whether it was killed because it wrote too much.
        case ended(code: CInt, output: [UInt8], errors: String, isCut: Bool)
        case tookTooLong
        /// The program could not be started.
        case absent(String)
    }

    private var program: ChildProgram?
    private let failure: String?
    private let mostBytes: Int
    let deadline: ContinuousClock.Instant
    private var output: [UInt8] = []
    private var errors: [UInt8] = []
    private var isOpen = (output: true, errors: true)
    private var isCut = false

    /// The running executable, even if an upgrade has replaced its file.
    private static let ownProgram = "/proc/self/exe"
    private static let mostErrors = 8_192
    /// CPU seconds that the program may use beyond its timeout, in case this process is killed and cannot end it.
    private static let spare: Int64 = 10

    /// - Parameters:
    ///   - words: The arguments of `hark`.
    ///   - input: Its standard input.
    ///   - seconds: The timeout.
    ///   - mostBytes: The maximum size of its output.
    init(_ words: [String], input: some Collection<UInt8> = [], within seconds: Int64, mostBytes: Int) {
        self.mostBytes = mostBytes
        deadline = .now + .seconds(seconds)
        do throws(Errno) {
            let started = try ChildProgram(
                [Self.ownProgram] + words, input: input, captures: true, partsErrors: true)
            _ = hark_limit_processor_time(started.pid, UInt(max(0, seconds) + Self.spare))
            program = started
            failure = nil
        } catch {
            program = nil
            failure = error.text
        }
    }

    deinit { end() }

    /// Descriptors that become readable when the program has written something or has ended.
    var descriptors: [CInt] {
        guard let program else { return [] }
        return [isOpen.output ? program.output : nil, isOpen.errors ? program.errors : nil].compactMap(\.self)
    }

    /// The time at which to call `outcome` even if no descriptor is readable.
    func next(after now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        // The output ends before the program does.
        descriptors.isEmpty ? min(deadline, now + .milliseconds(2)) : deadline
    }

    /// Returns how the program ended; nil while it runs.
    func outcome(at now: ContinuousClock.Instant) -> Outcome? {
        guard let program else { return .absent(failure ?? "it has ended") }
        if isOpen.output { isOpen.output = Self.drain(program.output, into: &output, most: mostBytes + 1) }
        if isOpen.errors { isOpen.errors = Self.drain(program.errors, into: &errors, most: Self.mostErrors) }
        if output.count > mostBytes {
            isCut = true
            output.removeLast(output.count - mostBytes)
            end()
            return ended(0)
        }
        if now >= deadline {
            end()
            return .tookTooLong
        }
        guard !isOpen.output, !isOpen.errors else { return nil }
        guard let code = program.endedWith() else { return nil }
        closeEnds(of: program)
        self.program = nil
        return ended(code)
    }

    private func ended(_ code: CInt) -> Outcome {
        // The hint on `--help` is for people.
        let lines = String(decoding: errors, as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasSuffix("--help' shows how it is used.") }
        return .ended(code: code, output: output, errors: lines.joined(separator: "\n"), isCut: isCut)
    }

    /// Kills the program without an outcome. SIGKILL acts at once, so this waits for it.
    func end() {
        guard let program else { return }
        closeEnds(of: program)
        kill(program.pid, SIGKILL)
        program.wait()
        self.program = nil
    }

    private func closeEnds(of program: ChildProgram) {
        for end in [program.output, program.errors].compactMap(\.self) { close(end) }
        isOpen = (false, false)
    }

    /// Returns false at the end of the output. Bytes beyond the limit are discarded, so that the program does not block
    /// for ever.
    private static func drain(_ descriptor: CInt?, into bytes: inout [UInt8], most: Int) -> Bool {
        guard let descriptor else { return false }
        var room = [UInt8](repeating: 0, count: 1 << 14)
        // Bounded, so that a program that writes without end does not delay all others.
        for _ in 0..<64 {
            let count = read(descriptor, &room, room.count)
            if count == 0 { return false }
            guard count > 0 else { return errno == EAGAIN || errno == EINTR }
            bytes += room[..<min(count, max(0, most - bytes.count))]
        }
        return true
    }
}

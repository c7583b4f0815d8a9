internal import CLinux
import Glibc

/// A command of this tool that is run as a program of its own, and its output. It has an end whatever it does: it is killed after its
/// time, when it writes more than is wanted, and when nobody waits for it any more.
final class ProgramRun {
    enum Outcome {
        /// - Parameter isCut: it was killed, as it wrote more than is wanted.
        case ended(code: CInt, output: [UInt8], errors: String, isCut: Bool)
        case tookTooLong
        /// It could not be started.
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

    /// This program as it was started, whatever lies in its place by now: an upgrade leaves those alone that run.
    private static let ownProgram = "/proc/self/exe"
    private static let mostErrors = 8_192
    /// Seconds of the processor that it may use beyond its time, should this process be killed and end it no more.
    private static let spare: Int64 = 10

    /// - Parameters:
    ///   - words: those behind `hark`.
    ///   - input: what stands on its standard input.
    ///   - seconds: how long it may take.
    ///   - mostBytes: of its output.
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

    /// Readable once it has written something, or has ended.
    var descriptors: [CInt] {
        guard let program else { return [] }
        return [isOpen.output ? program.output : nil, isOpen.errors ? program.errors : nil].compactMap(\.self)
    }

    /// When it wants to be looked at, whether there is something to read or not.
    func next(after now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        // Its output is at its end before it is itself.
        descriptors.isEmpty ? min(deadline, now + .milliseconds(2)) : deadline
    }

    /// How it ended; nil as long as it runs.
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
        var status: CInt = 0
        guard waitpid(program.pid, &status, WNOHANG) == program.pid else { return nil }
        closeEnds(of: program)
        self.program = nil
        let signal = status & 0x7F
        return ended(signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
    }

    private func ended(_ code: CInt) -> Outcome {
        // That help tells more is for people.
        let lines = String(decoding: errors, as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasSuffix("--help' shows how it is used.") }
        return .ended(code: code, output: output, errors: lines.joined(separator: "\n"), isCut: isCut)
    }

    /// Ends it, and nobody is told. SIGKILL ends it at once, so it is waited for.
    func end() {
        guard let program else { return }
        closeEnds(of: program)
        kill(program.pid, SIGKILL)
        var status: CInt = 0
        while waitpid(program.pid, &status, 0) < 0, errno == EINTR {}
        self.program = nil
    }

    private func closeEnds(of program: ChildProgram) {
        for end in [program.output, program.errors].compactMap(\.self) { close(end) }
        isOpen = (false, false)
    }

    /// False at the end. What is beyond the bound is read and forgotten, so that the program does not wait for ever.
    private static func drain(_ descriptor: CInt?, into bytes: inout [UInt8], most: Int) -> Bool {
        guard let descriptor else { return false }
        var room = [UInt8](repeating: 0, count: 1 << 14)
        // Whoever writes without an end does not hold up all others.
        for _ in 0..<64 {
            let count = read(descriptor, &room, room.count)
            if count == 0 { return false }
            guard count > 0 else { return errno == EAGAIN || errno == EINTR }
            bytes += room[..<min(count, max(0, most - bytes.count))]
        }
        return true
    }
}

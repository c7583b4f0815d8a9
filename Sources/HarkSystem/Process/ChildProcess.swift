import CSystemd
import Glibc

/// A child program with input, captured output and a timeout.
///
/// It runs in its own process group with default signals, and inherits no descriptors but its three streams. It
/// continues when this object is released, and its outcome is still reported.
@DaemonActor
package final class ChildProcess {
    /// The program to run, and its limits.
    package struct Command: Sendable {
        /// The program, looked up in PATH unless it has a slash, and its arguments.
        package var arguments: [String]
        /// Added to the daemon's own environment, from which variables of the service manager are removed.
        package var environment: [String: String] = [:]
        /// The content of stdin; the part that the program does not read is dropped.
        package var input: [UInt8] = []
        /// The number of kept bytes of stdout, and of stderr; the rest is read and dropped.
        package var outputLimit = 64 << 10
        /// The time until SIGTERM.
        package var timeoutMicroseconds: UInt64 = 60_000_000
        /// The further time until SIGKILL.
        package var graceMicroseconds: UInt64 = 2_000_000

        package init(_ arguments: [String]) {
            self.arguments = arguments
        }
    }

    /// The result of a run.
    package struct Outcome: Sendable, Equatable {
        package let status: ChildStatus
        /// Whether it was terminated because of the timeout.
        package let timedOut: Bool
        package let output: [UInt8]
        package let errorOutput: [UInt8]
        /// Whether it wrote more than was kept to either stream.
        package let isTruncated: Bool
    }

    package let pid: Int32
    private let graceMicroseconds: UInt64
    private let input: ChildInput
    private let output: ChildOutput
    private let errorOutput: ChildOutput
    private var timer: TimerSource?
    private var isStopping = false
    private var timedOut = false
    private let completion: @DaemonActor (Outcome) -> Void

    /// Starts the program; `completion` is called once, after its end. Throws ENOENT if there is no such program.
    ///
    /// The outcome comes with the end of the program itself, even if a process it started still holds its streams.
    @discardableResult
    package init(
        _ command: Command, on loop: EventLoop, completion: @escaping @DaemonActor (Outcome) -> Void
    ) throws(SystemError) {
        let stdin = try Pipe()
        let stdout = try Pipe()
        let stderr = try Pipe()
        try stdin.writeEnd.setNonblocking()
        try stdout.readEnd.setNonblocking()
        try stderr.readEnd.setNonblocking()
        pid = try spawn(
            command, stdin: stdin.readEnd.raw, stdout: stdout.writeEnd.raw, stderr: stderr.writeEnd.raw)
        input = ChildInput(stdin.takeWriteEnd(), command.input)
        output = ChildOutput(stdout.takeReadEnd(), limit: command.outputLimit)
        errorOutput = ChildOutput(stderr.takeReadEnd(), limit: command.outputLimit)
        graceMicroseconds = command.graceMicroseconds
        self.completion = completion
        do {
            try watch(on: loop, timeout: command.timeoutMicroseconds)
        } catch {
            // Out of descriptors or memory: a program that cannot be watched must not run.
            kill(-pid, SIGKILL)
            try syscall("waitpid") { waitpid(pid, nil, 0) }
            throw error
        }
    }

    /// Sends SIGTERM to the process group, and SIGKILL after the grace time.
    package func terminate() {
        guard !isStopping, let timer else { return }
        isStopping = true
        kill(-pid, SIGTERM)
        timer.arm(afterMicroseconds: graceMicroseconds)
    }

    /// Sends a signal to the process group.
    package func signal(_ number: Int32) {
        // After its end, the group's id may belong to another.
        if timer != nil { kill(-pid, number) }
    }

    /// Calls `body` with all kept output after each read.
    package func onOutput(_ body: @escaping @DaemonActor ([UInt8]) -> Void) { output.onRead = body }

    private func watch(on loop: EventLoop, timeout: UInt64) throws(SystemError) {
        try output.start(on: loop)
        try errorOutput.start(on: loop)
        try input.start(on: loop)
        let timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 10_000) { [weak self] in
            self?.timeIsUp()
        }
        timer.arm(afterMicroseconds: timeout)
        self.timer = timer
        // The only strong reference: the object lives as long as the child.
        try loop.onChildExit(pid: pid) { self.ended($0) }
    }

    private func timeIsUp() {
        if isStopping {
            kill(-pid, SIGKILL)
        } else {
            timedOut = true
            terminate()
        }
    }

    /// Handles the end. The child is not reaped yet, so its pid still identifies its group.
    private func ended(_ status: ChildStatus) {
        if isStopping { kill(-pid, SIGKILL) }
        timer = nil
        input.stop()
        output.finish()
        errorOutput.finish()
        completion(
            Outcome(
                status: status, timedOut: timedOut, output: output.bytes, errorOutput: errorOutput.bytes,
                isTruncated: output.isTruncated || errorOutput.isTruncated))
    }
}

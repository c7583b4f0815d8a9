import CSystemd
import Glibc

/// A program run beside the daemon: fed, listened to, and never waited for longer than its timeout.
///
/// It runs in a process group of its own with the usual signals, and inherits no descriptor but its three streams. It
/// lives on when this object is dropped; its outcome comes all the same.
@DaemonActor
package final class ChildProcess {
    /// What to run, and how far it may go.
    package struct Command: Sendable {
        /// The program, looked for in PATH unless it holds a slash, and its arguments.
        package var arguments: [String]
        /// Set on top of the daemon's own environment; what that says of the service manager is left out.
        package var environment: [String: String] = [:]
        /// What it can read on stdin; what it does not read is dropped.
        package var input: [UInt8] = []
        /// How much of stdout, and of stderr, is kept; the rest is read and dropped.
        package var outputLimit = 64 << 10
        /// After this long it is told to end (SIGTERM).
        package var timeoutMicroseconds: UInt64 = 60_000_000
        /// After this long again it is ended (SIGKILL).
        package var graceMicroseconds: UInt64 = 2_000_000

        package init(_ arguments: [String]) {
            self.arguments = arguments
        }
    }

    /// How it went.
    package struct Outcome: Sendable, Equatable {
        package let status: ChildStatus
        /// True if it was told to end because its time was up.
        package let timedOut: Bool
        package let output: [UInt8]
        package let errorOutput: [UInt8]
        /// True if it wrote more to either stream than was to be kept.
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

    /// Starts the program; `completion` is called once, after it has ended. Throws ENOENT if there is no such program.
    ///
    /// The outcome comes with the end of the program itself, even if something it started still holds its streams.
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
            // Out of descriptors or memory: what cannot be looked after must not run.
            kill(-pid, SIGKILL)
            try syscall("waitpid") { waitpid(pid, nil, 0) }
            throw error
        }
    }

    /// Tells the program and what it started to end, and ends them if they do not within the grace time.
    package func terminate() {
        guard !isStopping, let timer else { return }
        isStopping = true
        kill(-pid, SIGTERM)
        timer.arm(afterMicroseconds: graceMicroseconds)
    }

    /// Sends it, and what it started, a signal.
    package func signal(_ number: Int32) {
        // After its end the number of the group may be another's.
        if timer != nil { kill(-pid, number) }
    }

    /// Has `body` called with all of its output so far whenever more has come.
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
        // This alone keeps the object: it lives as long as the child.
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

    /// Called before the child is reaped, so its number still means its group.
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

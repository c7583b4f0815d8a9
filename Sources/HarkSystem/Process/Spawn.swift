import CSystemd
import Glibc

/// A pipe, close-on-exec at both ends.
struct Pipe: ~Copyable {
    let readEnd: FileDescriptor
    let writeEnd: FileDescriptor

    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        try syscall("pipe2") { pipe2(&ends, O_CLOEXEC) }
        readEnd = FileDescriptor(owning: ends[0])
        writeEnd = FileDescriptor(owning: ends[1])
    }

    /// Keeps the read end and closes the other.
    consuming func takeReadEnd() -> FileDescriptor { readEnd }
    /// Keeps the write end and closes the other.
    consuming func takeWriteEnd() -> FileDescriptor { writeEnd }
}

/// Starts a program in its own process group, with only these descriptors as its streams; returns its pid.
///
/// It gets SIGTERM when the calling thread, the loop's, ends, even if the daemon was killed.
func spawn(
    _ command: ChildProcess.Command, stdin: Int32, stdout: Int32, stderr: Int32
) throws(SystemError) -> Int32 {
    guard let program = command.arguments.first, !program.isEmpty else {
        throw SystemError(code: EINVAL, operation: "spawn", detail: "there is no program to run")
    }
    var pid: Int32 = 0
    try checked("spawn", detail: "cannot run \(program)") {
        withCStrings(command.arguments) { arguments in
            withCStrings(childEnvironment(adding: command.environment)) { environment in
                -hark_spawn(&pid, [stdin, stdout, stderr], arguments, environment)
            }
        }
    }
    return pid
}

/// The daemon's environment without systemd's variables for the daemon, and with `added`.
private func childEnvironment(adding added: [String: String]) -> [String] {
    let ours: Set = [
        "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
        "CREDENTIALS_DIRECTORY", "JOURNAL_STREAM",
    ]
    var all: [String] = []
    var next = hark_environment()
    while let entry = next?.pointee {
        let assignment = String(cString: entry)
        let name = String(assignment.prefix { $0 != "=" })
        if !ours.contains(name), added[name] == nil { all.append(assignment) }
        next = next?.advanced(by: 1)
    }
    return all + added.map { "\($0)=\($1)" }
}

/// Calls `body` with the strings as C has them, and nil behind the last. NUL would end one, and becomes U+FFFD.
func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let pointers = strings.map { strdup($0.utf8.contains(0) ? $0.replacing("\0", with: "\u{FFFD}") : $0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
}

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

    /// Keeps that end and closes the other.
    consuming func takeReadEnd() -> FileDescriptor { readEnd }
    /// Keeps that end and closes the other.
    consuming func takeWriteEnd() -> FileDescriptor { writeEnd }
}

/// Starts a program in a process group of its own, with these descriptors as its streams and no others; returns its pid.
///
/// It is told to end (SIGTERM) when the calling thread ends, the loop's: when the daemon was killed as well.
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

/// The daemon's environment, less what systemd told the daemon alone, with `added` on top.
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

func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
}

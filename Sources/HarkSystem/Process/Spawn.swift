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
func spawn(
    _ command: ChildProcess.Command, stdin: Int32, stdout: Int32, stderr: Int32
) throws(SystemError) -> Int32 {
    guard let program = command.arguments.first, !program.isEmpty else {
        throw SystemError(code: EINVAL, operation: "posix_spawn", detail: "there is no program to run")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    try positive("posix_spawn_file_actions_adddup2") {
        for (stream, target) in [(stdin, STDIN_FILENO), (stdout, STDOUT_FILENO), (stderr, STDERR_FILENO)] {
            let result = posix_spawn_file_actions_adddup2(&actions, stream, target)
            if result != 0 { return result }
        }
        // Everything of ours is close-on-exec; this holds for what libraries open, too.
        return posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    var allSignals = sigset_t()
    sigfillset(&allSignals)
    try positive("posix_spawnattr_setflags") {
        // The loop blocks and ignores signals; a child starts with none blocked, each with its default action.
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setsigdefault(&attributes, &allSignals)
        posix_spawnattr_setpgroup(&attributes, 0)
        return posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }

    var pid: Int32 = 0
    try positive("posix_spawn", detail: "cannot run \(program)") {
        withCStrings(command.arguments) { arguments in
            withCStrings(childEnvironment(adding: command.environment)) { environment in
                posix_spawnp(&pid, program, &actions, &attributes, arguments, environment)
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

private func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
}

/// Runs one call that returns an errno value or 0.
private func positive(
    _ operation: String, detail: @autoclosure () -> String = "", _ body: () -> Int32
) throws(SystemError) {
    try checked(operation, detail: detail()) { -body() }
}

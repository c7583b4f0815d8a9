import Foundation

/// A program that a test started. It is ended by its id, at the latest together with this object.
final class Child {
    enum Ending: Equatable {
        case exited(Int32)
        case signaled(Int32)
    }

    let id: pid_t
    private var ending: Ending?

    /// Starts a program with an environment of its own.
    ///
    /// `setpriv` lets the kernel end it together with the thread that started it, so that nothing outlives a test run
    /// that was killed itself.
    init(
        _ command: [String], environment: [String: String] = [:], input: CInt? = nil, output: CInt? = nil,
        errors: String = "/dev/null"
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, output ?? 2, 1)
        let command = ["setpriv", "--pdeathsig", "KILL"] + command
        // It must not matter whether the person who runs the tests sits before the screen.
        var variables = [
            "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere",
        ]
        variables.merge(environment) { $1 }
        var arguments = command.map { strdup($0) } + [nil]
        var entries = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + entries { free(text) } }
        var id: pid_t = 0
        var attributes = try Child.plainSignals()
        defer { posix_spawnattr_destroy(&attributes) }
        let code = posix_spawnp(&id, command[0], &actions, &attributes, &arguments, &entries)
        guard code == 0 else { throw Failure("\(command[0]): \(String(cString: strerror(code)))") }
        self.id = id
    }

    /// As a shell starts a program: nothing blocked, nothing ignored. A test's own thread has every signal blocked.
    private static func plainSignals() throws -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        return attributes
    }

    deinit { kill() }

    func signal(_ number: CInt) {
        guard ending == nil else { return }
        Foundation.kill(id, number)
    }

    /// Ends it at once and waits until it is gone.
    func kill() {
        guard ending == nil else { return }
        Foundation.kill(id, SIGKILL)
        var status: CInt = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        ending = Child.ending(status)
    }

    var isRunning: Bool {
        if ending == nil {
            var status: CInt = 0
            if waitpid(id, &status, WNOHANG) == id { ending = Child.ending(status) }
        }
        return ending == nil
    }

    /// Waits for the end.
    func wait(within seconds: Double = 180) throws -> Ending {
        try waitUntil("the end of process \(id)", within: seconds) { !isRunning }
        return ending!
    }

    private static func ending(_ status: CInt) -> Ending {
        status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signaled(status & 0x7f)
    }

    /// Runs a program to its end.
    static func run(
        _ command: [String], environment: [String: String] = [:], input: CInt? = nil, within seconds: Double = 180
    ) throws -> (ending: Ending, output: String, errors: String) {
        let folder = try TemporaryFiles()
        let output = try folder.create("output")
        defer { close(output) }
        let child = try Child(
            command, environment: environment, input: input, output: output, errors: folder.path("errors"))
        let ending = try child.wait(within: seconds)
        return (ending, try folder.text("output"), try folder.text("errors"))
    }
}

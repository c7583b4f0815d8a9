import Glibc

/// A program this one started; ended by its id, and only then forgotten.
struct Child {
    let id: pid_t

    /// Starts a program and discards its output, or keeps it in the file `log`.
    /// - Parameter input: The file for standard input.
    init(
        _ command: [String], environment: [String: String] = [:], input: String = "/dev/null",
        log: String = "/dev/null"
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, command[0], &actions, nil, &arguments, &variables)
        guard code == 0 else { throw Failure("\(command[0]): \(String(cString: strerror(code)))") }
        self.id = id
    }

    /// Waits for the end; any exit code but 0 is a failure.
    func waitForSuccess(_ name: String) throws {
        var status: Int32 = 0
        try check("waitpid", waitpid(id, &status, 0))
        guard status == 0 else { throw Failure("\(name) ended with status \(status >> 8)") }
    }

    /// Asks the program to end, waits for that, and kills it after ten seconds.
    func end() throws {
        kill(id, SIGTERM)
        var status: Int32 = 0
        for _ in 0..<10_000 {
            if try check("waitpid", waitpid(id, &status, WNOHANG)) == id { return }
            usleep(1_000)
        }
        kill(id, SIGKILL)
        waitpid(id, &status, 0)
        throw Failure("process \(id) did not end when asked to")
    }

    var isRunning: Bool { waitpid(id, nil, WNOHANG) == 0 }

    /// Memory as the kernel counts it, in bytes: resident, and with shared pages divided among their users.
    func memory() throws -> (resident: Double, proportional: Double) {
        (try kilobytes("VmRSS", of: "status") * 1024, try kilobytes("Pss", of: "smaps_rollup") * 1024)
    }

    /// The peak of resident memory since the start, or since `clear_refs` was written.
    func peak() throws -> Double { try kilobytes("VmHWM", of: "status") * 1024 }

    private func kilobytes(_ member: String, of file: String) throws -> Double {
        for line in try textOfFile("/proc/\(id)/\(file)").split(separator: "\n") where line.hasPrefix(member + ":") {
            return Double(line.split(whereSeparator: { $0 == " " || $0 == "\t" })[1]) ?? 0
        }
        throw Failure("no \(member) in /proc/\(id)/\(file)")
    }

    /// The processor time of its threads so far, in ticks of a hundredth of a second.
    func processorTicks() throws -> Int {
        let fields = try textOfFile("/proc/\(id)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
            throw Failure("/proc/\(id)/stat cannot be read")
        }
        return user + system
    }

    /// The processor time of its threads so far, in nanoseconds: in the program and in the kernel for it.
    func processorTime() throws -> Double {
        var clock = clockid_t()
        let code = clock_getcpuclockid(id, &clock)
        guard code == 0 else { throw Failure("clock of process \(id): \(String(cString: strerror(code)))") }
        var time = timespec()
        try check("clock_gettime", clock_gettime(clock, &time))
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// Waits until it has no more work.
    func waitUntilIdle() throws {
        var ticks = -1
        while true {
            let next = try processorTicks()
            if next == ticks, try !waitsForDisk() { return }
            ticks = next
            usleep(100_000)
        }
    }

    /// Whether one of its threads is in an uninterruptible call, such as a large write to a disk.
    private func waitsForDisk() throws -> Bool {
        try namesInFolder("/proc/\(id)/task").contains { thread in
            // A thread that has ended meanwhile waits for nothing.
            let stat = (try? textOfFile("/proc/\(id)/task/\(thread)/stat")) ?? ""
            return stat.split(separator: ")").last?.split(separator: " ").first == "D"
        }
    }

    /// The number of times each of its threads was scheduled so far.
    func wakeUps() throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for thread in try namesInFolder("/proc/\(id)/task") {
            for line in try textOfFile("/proc/\(id)/task/\(thread)/status").split(separator: "\n")
            where line.contains("ctxt_switches") {
                counts[thread, default: 0] += Int(line.split(separator: "\t").last ?? "") ?? 0
            }
        }
        return counts
    }

    /// The number of times its threads were woken since then. A thread that ended meanwhile counts once.
    func wakeUps(since before: [String: Int]) throws -> Double {
        let after = try wakeUps()
        let ended = before.keys.count { after[$0] == nil }
        return Double(after.reduce(ended) { $0 + $1.value - before[$1.key, default: 0] })
    }
}

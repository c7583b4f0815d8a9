internal import CLinux
import Glibc
import HarkAsking

/// A program that runs in the foreground of this process: it has the terminal, standard input and output as they are, and
/// only what it writes as errors goes through here, on its way to where it would have gone.
struct WatchedProgram {
    /// How a program ended, and what it took.
    struct End {
        /// Its exit code; nil when a signal ended it.
        var code: CInt?
        var signal: CInt?
        /// From the start to the end, in seconds.
        var seconds = 0.0
        /// On all processors, with the children it waited for.
        var cpuSeconds = 0.0
        /// The most memory that it, or one of those children, had at a time.
        var peakMemoryBytes: Int64 = 0
        /// The end of what it wrote as errors.
        var errors = ""
    }

    /// Not one of these is for whoever watches: the program decides.
    private static let passedOn = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

    let pid: pid_t
    private let start = MonotonicClock.now
    private let signals: SignalQueue
    /// What it writes as errors; nil when that is not looked at, or is over.
    private var errors: CInt?
    private var tail: ErrorTail
    private var room = [UInt8](repeating: 0, count: 1 << 16)
    /// Where in it lies what could not be passed on yet.
    private var waiting = 0..<0

    /// Starts it.
    ///
    /// - Parameters:
    ///   - words: the program, which is looked up on the PATH, and its arguments: strings of C with a null at the end.
    ///   - tailBytes: how much of the end of its errors is kept; 0: it has standard error for itself.
    /// - Throws: the errno of what went wrong, ENOENT if there is no such program.
    init(_ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, tailBytes: Int) throws(Errno) {
        // Whoever started us may have it ignored, and then the kernel tells nobody how a child ended.
        signal(SIGCHLD, SIG_DFL)
        signals = SignalQueue(Self.passedOn + [SIGCHLD])
        tail = ErrorTail(maxBytes: tailBytes)
        var pipe: [CInt] = [-1, -1]
        if tailBytes > 0, pipe2(&pipe, CInt(O_CLOEXEC)) != 0 { throw Errno(errno) }
        defer { if pipe[1] >= 0 { close(pipe[1]) } }
        do throws(Errno) {
            pid = try Self.run(words, moving: tailBytes > 0 ? [(from: pipe[1], to: CInt(2))] : [])
        } catch {
            if pipe[0] >= 0 { close(pipe[0]) }
            throw error
        }
        errors = tailBytes > 0 ? pipe[0] : nil
        // Whoever reads our errors may be gone; then the program is told when it writes, as it would be without us.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Starts a program, or a script without `#!` by `/bin/sh`, as shells do (POSIX, "Command Search and Execution").
    private static func run(
        _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, moving descriptors: [(from: CInt, to: CInt)]
    ) throws(Errno) -> pid_t {
        do throws(Errno) {
            return try spawn(words, moving: descriptors)
        } catch {
            guard error.code == ENOEXEC, let word = words[0], let script = ShellScript.path(of: word) else {
                throw error
            }
            defer { free(script) }
            let shell = strdup("/bin/sh")
            defer { free(shell) }
            var all = [shell, script]
            var next = words + 1
            while let word = next.pointee {
                all.append(word)
                next += 1
            }
            all.append(nil)
            return try spawn(&all, moving: descriptors)
        }
    }

    /// Starts a program that gets all signals, with some descriptors in the place of others.
    private static func spawn(
        _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, moving descriptors: [(from: CInt, to: CInt)]
    ) throws(Errno) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        for (from, to) in descriptors { posix_spawn_file_actions_adddup2(&actions, from, to) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var pid: pid_t = 0
        // There is at least one word, says whoever calls; without, posix_spawnp has nothing to find.
        let status = words[0].map { posix_spawnp(&pid, $0, &actions, &attributes, words, environ) } ?? ENOENT
        guard status == 0 else { throw Errno(status) }
        return pid
    }

    /// Waits for its end, passing on what it writes and the signals that come.
    ///
    /// - Parameters:
    ///   - record: hears what the daemon replies.
    ///   - limit: in seconds.
    ///   - overdue: is called once if it runs for longer than that, with for how long it has.
    mutating func wait(
        telling record: RunRecord, overdueAfter limit: Double?, _ overdue: (pid_t, Double) -> Void
    ) -> End {
        var limit = limit
        while true {
            let run = MonotonicClock.now - start
            if let due = limit, run >= due {
                limit = nil
                overdue(pid, run)
            }
            var sources = [
                pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
                // A negative descriptor is passed over.
                pollfd(fd: waiting.isEmpty ? errors ?? -1 : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: waiting.isEmpty ? -1 : 2, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: record.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            // A day is looked at again, as more milliseconds than there are would be none.
            let patience = limit.map { CInt(min(($0 - run) * 1_000, 86_400_000).rounded(.up)) } ?? -1
            guard poll(&sources, nfds_t(sources.count), patience) > 0 else { continue }
            if sources[3].revents != 0 { record.hear() }
            if sources[1].revents != 0 { read() }
            if sources[2].revents != 0 { write() }
            while let (number, isFromProcess) = signals.nextWithSender() {
                if number == SIGCHLD {
                    if let end = reap() { return end }
                } else if isFromProcess {
                    // What the terminal sends goes to the program as well, by itself.
                    kill(pid, number)
                }
            }
        }
    }

    private mutating func read() {
        if take() == 0 { closeErrors() }
    }

    /// - Returns: how much there was; 0 at the end, less where there is nothing now.
    private mutating func take() -> Int {
        guard let errors else { return 0 }
        let count = Glibc.read(errors, &room, room.count)
        if count > 0 {
            tail.add(room[..<count])
            waiting = 0..<count
        }
        return count
    }

    /// So little at a time never blocks a pipe that has room, so signals do not wait for a slow reader.
    private mutating func write() {
        let piece = waiting.prefix(Int(PIPE_BUF))
        let count = room.withUnsafeBytes { Glibc.write(2, $0.baseAddress.map { $0 + piece.lowerBound }, piece.count) }
        if count > 0 {
            waiting = waiting.dropFirst(count)
        } else if count < 0, errno != EINTR, errno != EAGAIN {
            waiting = 0..<0
            closeErrors()
        }
    }

    private mutating func closeErrors() {
        if let errors { close(errors) }
        errors = nil
    }

    /// How it ended; nil while it runs, or is only stopped.
    private mutating func reap() -> End? {
        var status: CInt = 0
        var usage = rusage()
        guard wait4(pid, &status, WNOHANG, &usage) == pid else { return nil }
        var end = End()
        end.seconds = MonotonicClock.now - start
        end.cpuSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
        // In KiB, says getrusage(2).
        end.peakMemoryBytes = Int64(usage.ru_maxrss).multipliedReportingOverflow(by: 1024).partialValue
        if status & 0x7F == 0 { end.code = (status >> 8) & 0xFF } else { end.signal = status & 0x7F }
        finishErrors()
        end.errors = tail.text
        return end
    }

    /// What it had written is passed on. Where a program it left in the background holds on to its errors, those go on to
    /// where they would have gone without us.
    private mutating func finishErrors() {
        guard let errors else { return }
        _ = fcntl(errors, F_SETFL, O_NONBLOCK)
        // More than a pipe holds was written later, by somebody who may never stop.
        var left = 1 << 20
        while self.errors != nil, left > 0 {
            flushWaiting()
            guard self.errors != nil else { return }
            let count = take()
            if count <= 0 { break }
            left -= count
        }
        flushWaiting()
        guard self.errors != nil else { return }
        var byte = pollfd(fd: errors, events: Int16(POLLIN), revents: 0)
        let isOver = poll(&byte, 1, 0) > 0 && byte.revents & Int16(POLLHUP) != 0
        if !isOver { leaveBehind(errors) }
        closeErrors()
    }

    /// Passes on what waits, unless somebody asks us to end before our reader takes it.
    private mutating func flushWaiting() {
        while !waiting.isEmpty, errors != nil {
            var sources = [
                pollfd(fd: 2, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&sources, 2, -1)
            if sources[0].revents != 0 { write() }
            if let number = signals.next(), SignalQueue.endings.contains(number) {
                waiting = 0..<0
                closeErrors()
            }
        }
    }

    private func leaveBehind(_ errors: CInt) {
        _ = fcntl(errors, F_SETFL, 0)
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("cat"), nil]
        defer { free(words[0]) }
        do throws(Errno) {
            _ = try Self.spawn(&words, moving: [(from: errors, to: 0), (from: 2, to: 1)])
        } catch {
            // The background program finds nobody who reads, the same as when our own reader is gone.
        }
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}

internal import CLinux
import Glibc
import HarkClient

/// A program that runs in the foreground of this process. It keeps the terminal, standard input and standard output;
/// only its standard error passes through here.
struct WatchedProgram {
    /// How a program ended, and the resources it used.
    struct End {
        /// The exit code; nil if a signal ended it.
        var code: CInt?
        var signal: CInt?
        /// The run time in seconds.
        var seconds = 0.0
        /// CPU seconds on all processors, including children it waited for.
        var cpuSeconds = 0.0
        /// The peak memory of it or of one of those children.
        var peakMemoryBytes: Int64 = 0
        /// The end of its standard error.
        var errors = ""
    }

    /// Signals passed on to the program, which decides what to do.
    private static let passedOn = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

    let pid: pid_t
    private let start = MonotonicClock.now
    private let signals: SignalQueue
    /// The read end of its standard error; nil if that is not watched, or is closed.
    private var errors: CInt?
    private var tail: ErrorTail
    private var room = [UInt8](repeating: 0, count: 1 << 16)
    /// The range of `room` that is not passed on yet.
    private var waiting = 0..<0

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - words: The program, which is looked up on the PATH, and its arguments, as a null-terminated list of C
    ///     strings.
    ///   - tailBytes: How much of the end of its standard error to keep; 0 to leave standard error to it.
    /// - Throws: The errno of the failure; ENOENT if there is no such program.
    init(_ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, tailBytes: Int) throws(Errno) {
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
        // If the reader of our standard error is gone, the program gets the error when it writes, as it would without
        // us.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Starts a program, or runs a script without `#!` with `/bin/sh`, as shells do (POSIX, "Command Search and
    /// Execution").
    private static func run(
        _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, moving descriptors: [(from: CInt, to: CInt)]
    ) throws(Errno) -> pid_t {
        do throws(Errno) {
            return try ChildProgram.spawn(words, moving: descriptors)
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
            return try ChildProgram.spawn(&all, moving: descriptors)
        }
    }

    /// Waits for the end, passing on standard error and signals.
    ///
    /// - Parameters:
    ///   - record: Reads the daemon's replies.
    ///   - limit: The time in seconds after which the program is overdue.
    ///   - overdue: Called once after that time, with the process and its run time.
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
                // poll ignores negative descriptors.
                pollfd(fd: waiting.isEmpty ? errors ?? -1 : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: waiting.isEmpty ? -1 : 2, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: record.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let patience = MonotonicClock.milliseconds(until: limit.map { start + $0 })
            guard poll(&sources, nfds_t(sources.count), patience) > 0 else { continue }
            if sources[3].revents != 0 { record.hear() }
            if sources[1].revents != 0 { read() }
            if sources[2].revents != 0 { write() }
            while let (number, isFromProcess) = signals.nextWithSender() {
                if number == SIGCHLD {
                    if let end = reap() { return end }
                } else if isFromProcess {
                    // The terminal sends its signals to the program itself.
                    kill(pid, number)
                }
            }
        }
    }

    private mutating func read() {
        if take() == 0 { closeErrors() }
    }

    /// - Returns: The number of bytes read; 0 at the end, negative if there is nothing now.
    private mutating func take() -> Int {
        guard let errors else { return 0 }
        let count = Glibc.read(errors, &room, room.count)
        if count > 0 {
            tail.add(room[..<count])
            waiting = 0..<count
        }
        return count
    }

    /// Writes at most PIPE_BUF bytes, which never blocks a pipe with room, so that signals do not wait for a slow
    /// reader.
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

    /// Returns how the program ended; nil while it runs or is stopped.
    private mutating func reap() -> End? {
        var status: CInt = 0
        var usage = rusage()
        guard wait4(pid, &status, WNOHANG, &usage) == pid else { return nil }
        var end = End()
        end.seconds = MonotonicClock.now - start
        end.cpuSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
        // In KiB, according to getrusage(2).
        end.peakMemoryBytes = Int64(usage.ru_maxrss).multipliedReportingOverflow(by: 1024).partialValue
        if status & 0x7F == 0 { end.code = (status >> 8) & 0xFF } else { end.signal = status & 0x7F }
        finishErrors()
        end.errors = tail.text
        return end
    }

    /// Passes on what the program had written. If a background process keeps its standard error open, that output
    /// continues to go to where it would have gone without us.
    private mutating func finishErrors() {
        guard let errors else { return }
        _ = fcntl(errors, F_SETFL, O_NONBLOCK)
        // Anything beyond the capacity of a pipe was written later, by a process that may never stop.
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

    /// Passes on pending bytes, unless a signal asks us to end before our reader takes them.
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
            _ = try ChildProgram.spawn(&words, moving: [(from: errors, to: 0), (from: 2, to: 1)])
        } catch {
            // The background process gets an error when it writes, as if our own reader were gone.
        }
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}

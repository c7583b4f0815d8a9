import Glibc

/// The last message when the kernel ends the process for an unrecoverable fault.
package enum LastWords {
    /// Makes a bus error print its cause: another program truncated a memory-mapped file (in Hark only SQLite's `-shm`).
    ///
    /// Continuing with other memory in its place would be worse: SQLite could not notice that parts of its WAL index
    /// are missing, and would lose records in the WAL.
    package static func onBusError() {
        signal(SIGBUS) { number in
            // Nothing here may allocate memory or take a lock.
            let words: StaticString = """
                harkd: error: a file that harkd had in memory was cut short, as a rule hark.db-shm in the state folder, and harkd \
                ends. Start it again (systemd does): nothing that it has acknowledged is lost.

                """
            _ = write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
            signal(number, SIG_DFL)
            raise(number)
        }
    }
}

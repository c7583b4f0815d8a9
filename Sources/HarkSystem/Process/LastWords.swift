import Glibc

/// What is said when the kernel ends the process for something that nothing can be done about.
package enum LastWords {
    /// Has a bus error say what it means: a file that lies in memory (of Hark's only SQLite's `-shm` does) was cut short by somebody.
    ///
    /// To go on with other memory in its place would be worse than to end: SQLite could not tell that parts of its index of the log
    /// are gone, and would give up records that are in there.
    package static func onBusError() {
        signal(SIGBUS) { number in
            // Nothing here may take memory or a lock.
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

internal import CSQLite
import Glibc

/// Interrupts a computing statement when a descriptor becomes readable.
enum Interruption {
    /// SQLite's steps between two checks, some tenths of a millisecond.
    private static let steps: CInt = 20_000

    static func watch(_ descriptor: CInt, in database: OpaquePointer) {
        sqlite3_progress_handler(
            database, steps,
            { context in
                var entry = pollfd(fd: CInt(Int(bitPattern: context)), events: Int16(POLLIN), revents: 0)
                return poll(&entry, 1, 0) > 0 ? 1 : 0
            }, UnsafeMutableRawPointer(bitPattern: Int(descriptor)))
    }
}

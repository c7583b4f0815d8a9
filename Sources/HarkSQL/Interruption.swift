internal import CSQLite
import HarkClient

/// Interrupts a computing statement when a descriptor becomes readable.
enum Interruption {
    /// SQLite's steps between two checks, some tenths of a millisecond.
    private static let steps: CInt = 20_000

    static func watch(_ descriptor: CInt, in database: OpaquePointer) {
        sqlite3_progress_handler(
            database, steps,
            { context in
                Input.wait(for: CInt(Int(bitPattern: context)), atMost: 0).contains(true) ? 1 : 0
            }, UnsafeMutableRawPointer(bitPattern: Int(descriptor)))
    }
}

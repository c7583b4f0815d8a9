internal import HarkCore

enum DeadLetterTable: StoredTable {
    static let name = "deadLetter"
    static let mendsTexts = true

    static func map(_ column: inout Columns<DeadLetter>) -> DeadLetter {
        DeadLetter(
            destination: column("destination", .key) { $0.destination },
            sequence: column("sequence", .key) { $0.sequence }, lane: column("lane") { $0.lane },
            cause: column("cause") { $0.cause }, session: column("session") { $0.session }, at: column("at") { $0.at },
            status: column("status") { $0.status }, reason: column("reason") { $0.reason },
            // Below 0 while it is marked for a retry.
            replays: Int(clamping: column("replays") { Int64($0.replays) }.magnitude))
    }
}

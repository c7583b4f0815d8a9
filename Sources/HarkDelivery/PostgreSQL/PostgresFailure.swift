/// An error of PostgreSQL or libpq.
struct PostgresFailure: Error, Equatable {
    /// The kind of error in five characters (SQLSTATE); empty if the connection failed.
    let state: String
    /// The message of the server. It may repeat recorded data, so it is for dead letters only.
    let message: String

    static let lost = ""

    /// Another transaction, or an earlier one of this program, has written that row.
    var isDuplicate: Bool { state == "23505" }
    /// A schema or table is missing.
    var isWithoutTables: Bool { ["3F000", "42P01"].contains(state) }
    var isForbidden: Bool { state == "42501" }

    /// Returns the meaning of the error for a batch.
    /// - Parameter place: The name of the sink, for messages.
    func failure(at place: String) -> DeliveryFailure {
        func failed(_ kind: DeliveryFailure.Kind, _ words: String) -> DeliveryFailure {
            DeliveryFailure(kind, "\(place) \(words)", words: message)
        }
        switch state {
        case Self.lost: return failed(.network, "broke the connection off")
        case "42501":
            return failed(
                .server, "does not let us (42501); see docs/reference/databases.md for the rights that are needed")
        case "53100": return failed(.server, "has no room on its disk (53100)")
        case "53300": return failed(.server, "has no connection left (53300); raise max_connections")
        case "25006":
            return failed(
                .server,
                "only reads (25006): it is a standby; name the primary as well, and "
                    + "target_session_attrs=read-write")
        case "57P01", "57P02", "57P03": return failed(.server, "is being shut down or started (\(state))")
        // A changed table refuses every row, so no single row is the cause.
        case "3F000", "42P01", "42703", "42804", "42846", "22P03", "22P04", "42P10", "23502", "42883":
            return failed(
                .server,
                "has tables in the schema hark that are not as Hark made them (\(state)); undo what was changed there, or drop "
                    + "the schema to have all sent again")
        default: break
        }
        switch state.prefix(2) {
        case "08": return failed(.network, "broke the connection off (\(state))")
        // A value, or a rule that an administrator has set for the table, is the cause.
        case "22", "23", "44", "P0": return failed(.refused, "refuses it (\(state))")
        case "54": return failed(.tooLarge, "finds it too large (\(state))")
        default: return failed(.server, "has a fault (\(state))")
        }
    }
}

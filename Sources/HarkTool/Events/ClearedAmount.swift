import HarkAsking
import HarkClient
import HarkWire

/// The amount of records that a clear would remove.
struct ClearedAmount {
    private let events: Int64
    private let sessions: Int
    private let areAllSessions: Bool
    private static let mostSessions = 10_000

    init(_ scope: RecordScope, _ machines: MachineScope, _ connection: inout Connection) throws {
        let patience = connection.patience
        // The daemon reads the whole log, so there is no timeout.
        connection.patience = nil
        var question = EventStats()
        (question.filter.user, question.filter.session) = (scope.user, scope.session)
        question.machines = machines.choice
        let counted = try connection.call(question)
        connection.patience = patience
        events = counted.value.total.counts.count
        if case .session = scope {
            (sessions, areAllSessions) = (1, true)
            return
        }
        var (count, areAll) = (0, true)
        var request = SessionList()
        (request.user, request.machines, request.limit) = (scope.user, machines.choice, 1_000)
        try connection.pages(request) { reply in
            count += reply.value.sessions.json.elements.count
            areAll = reply.value.next == nil
            return count < Self.mostSessions
        }
        (sessions, areAllSessions) = (count, areAll)
    }

    var isNothing: Bool { events == 0 && sessions == 0 }

    /// `4 events and 1 session`
    var words: String {
        "\(Plural.count(events, "event")) and \(areAllSessions ? "" : "more than ")\(Plural.count(sessions, "session"))"
    }
}

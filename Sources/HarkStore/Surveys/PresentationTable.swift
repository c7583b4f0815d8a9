internal import HarkCore
internal import HarkWire

/// Results and histories read columns in place by their numbers (`Statement.showing`, `told`).
enum PresentationTable: NumberedTable {
    static let name = "presentation"
    static let kind = "a presentation of a survey"
    /// The number of a column.
    static let ownsSession: Int32 = 14

    static func map(_ column: inout Columns<Presentation>) throws(StoreError) -> Presentation {
        let id = column("id", .key) { $0.id }
        let survey = column("survey", .fixed) { $0.survey }
        let user = column.user(.fixed) { $0.user }
        let app = column("app", .fixed) { $0.app }
        let origin = column("origin", .fixed) { $0.origin }
        let session = column("session") { $0.session }
        let state = column("state") { $0.state } ?? .scheduled
        var presentation = Presentation(
            id: id, survey: survey, user: user, app: app, origin: origin,
            createdAt: column("created", .fixed) { $0.createdAt }, state: state, dueAt: column("due") { $0.dueAt })
        presentation.session = session
        presentation.expiresAt = column("expires") { $0.expiresAt }
        presentation.presentedAt = column("presented") { $0.presentedAt }
        presentation.closedAt = column("closed") { $0.closedAt }
        _ = column("wakes", .derived) { $0.wakesAt }
        presentation.isUncounted = column("uncounted") { $0.isUncounted }
        // The reader looks the session up.
        _ = column("ownsSession") { $0.ownSession != nil }
        presentation.reason = column("reason") { $0.reason }
        presentation.locale = column("locale") { $0.locale }
        presentation.answers = column("answers") { $0.answers }
        presentation.shown = column("shown") { $0.shown }
        presentation.depth = column("depth", .fixed) { $0.depth }
        let prompt = column("prompt", .fixed) { $0.prompt?.id }
        let definition = column("definition", .fixed) { $0.prompt?.packed }
        presentation.times = column("times") { $0.times }
        presentation.reminders = column("reminders", .kept) { $0.reminders }
        presentation.revises = column("revises", .fixed) { $0.revises }
        presentation.revisedBy = column("revisedBy") { $0.revisedBy }
        presentation.changeableUntil = column("changeable") { $0.changeableUntil }
        presentation.trigger = column("trigger", .fixed) { $0.trigger.isEmpty ? nil : $0.trigger } ?? .none
        presentation.given = column("given", .fixed) { $0.given.isEmpty ? nil : $0.given } ?? .none
        if let prompt, column.written == nil {
            presentation.prompt = Prompt(id: prompt, packed: definition ?? [])
            if presentation.prompt == nil { throw StoreError(.damaged, "a prompt in the store cannot be read") }
        }
        return presentation
    }
}

extension PresentationState: StoredChoice {}

extension Answers: StoredValue {
    static func read(_ row: Statement, _ column: Int32) -> Answers { row.withBytes(column) { Answers(packed: $0) } }
    func bind(to statement: Statement, _ place: Int32) { packed.bind(to: statement, place) }
}

extension ShowingTimes: StoredValue {
    init() { self.init(planned: nil) }

    static func read(_ row: Statement, _ column: Int32) throws(StoreError) -> ShowingTimes {
        guard let times = row.withBytes(column, { ShowingTimes(packed: $0) }) else { throw .unreadable(row, column) }
        return times
    }

    func bind(to statement: Statement, _ place: Int32) { properties.bind(to: statement, place) }
}

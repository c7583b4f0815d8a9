internal import HarkCore
internal import HarkWire

enum GatingTable: StoredTable {
    typealias Row = (user: UserKey, survey: String, gating: Gating)

    static let name = "gating"
    static let mendsTexts = true

    static func map(_ column: inout Columns<Row>) -> Row {
        let (user, survey) = (column.user { $0.user }, column("survey", .key) { $0.survey })
        var gating = Gating()
        gating.attempts = column("attempts") { $0.gating.attempts }
        gating.lastPresented = column("presented") { $0.gating.lastPresented }
        gating.completed = column("completed") { $0.gating.completed }
        let sessions = column("sessions") { row in
            Properties(row.gating.sessions.sorted { $0.key < $1.key }.map { ($0.key.text, .string("\($0.value)")) })
        }
        gating.recent = column("recent") { $0.gating.recent }
        gating.variant = column("variant") { $0.gating.variant }
        if let written = column.written { return written }
        for case (let app, .string(let id)) in sessions.members { gating.sessions[ExactName(app)] = Identifier(id) }
        return (user, survey, gating)
    }
}

enum EventTimesTable: StoredTable {
    typealias Row = (user: UserKey, rule: String, times: RecentTimes)

    static let name = "eventTimes"
    static let mendsTexts = true

    static func map(_ column: inout Columns<Row>) -> Row {
        (column.user { $0.user }, column("rule", .key) { $0.rule }, column("times") { $0.times })
    }
}

enum EnrolmentTable: NumberedTable {
    static let name = "enrolment"
    static let kind = "an enrolment in a survey"

    static func map(_ column: inout Columns<Enrolment>) throws(StoreError) -> Enrolment {
        let (id, survey) = (column("id") { $0.id }, column("survey", .key) { $0.survey })
        let (user, app) = (column.user { $0.user }, column("app") { $0.app })
        let (wakesAt, data) = (column("wakes") { $0.wakesAt }, column("data") { $0.properties })
        if let written = column.written { return written }
        guard let enrolment = Enrolment(id: id, survey: survey, user: user, app: app, wakesAt: wakesAt, data) else {
            throw StoreError(.damaged, "an enrolment in the store cannot be read")
        }
        return enrolment
    }
}

extension RecentTimes: StoredBytes, StoredValue {
    static func unpacked(_ bytes: [UInt8]) -> RecentTimes? { RecentTimes(packed: bytes) }
}

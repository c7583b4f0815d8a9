import HarkCore
import HarkDelivery
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// Writes what there is of a user, kind after kind, a piece at a time.
@DaemonActor
struct UserExport {
    /// Where it goes on: at the beginning of a kind, or after something of it.
    struct Place: Sendable, LosslessStringConvertible {
        let kind: UserItemKind
        var after: String?

        init(_ kind: UserItemKind, after: String? = nil) {
            self.kind = kind
            self.after = after
        }

        init?(_ description: String) {
            let parts = description.split(separator: " ", maxSplits: 1)
            guard let first = parts.first, let kind = UserItemKind(rawValue: String(first)) else { return nil }
            self.init(kind, after: parts.count > 1 ? String(parts[1]) : nil)
        }

        var description: String { "\(kind.rawValue)\(after.map { " " + $0 } ?? "")" }

        /// The number and the text that it goes on after.
        func pair() throws(WireError) -> (number: UInt64, text: String)? {
            guard let after else { return nil }
            let parts = after.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard let number = parts.first.flatMap({ UInt64($0) }) else { throw Method.noCursor }
            return (number, parts.count > 1 ? String(parts[1]) : "")
        }

        /// The account it goes on after.
        func account() throws(WireError) -> UInt32? {
            guard let number = try pair()?.number else { return nil }
            guard let uid = UInt32(exactly: number) else { throw Method.noCursor }
            return uid
        }
    }

    let call: Call
    let query: PersonQuery
    private nonisolated static let atOnce = 100

    init(_ call: Call, _ query: PersonQuery) {
        self.call = call
        self.query = query
    }

    /// Records of the hub itself are included.
    private var includesOwn: Bool { query.machines?.includes(nil) ?? true }

    /// Writes a piece.
    ///
    /// - Returns: where it goes on; nil when there is nothing more.
    func write(from place: Place, to json: inout JSONWriter) async throws(WireError) -> Place? {
        let next: Place?
        switch place.kind {
        case .showing: next = try await writeShowings(place, to: &json)
        case .asking: next = try await writeAskings(place, to: &json)
        case .history: next = try await writeHistories(place, to: &json)
        case .participation: next = try await writeParticipations(place, to: &json)
        case .form, .profile: next = try await writeForms(place, to: &json)
        case .watch: next = try writeWatches(to: &json)
        case .deadLetter: next = try await writeDeadLetters(place, to: &json)
        case .record: return try await writeRecords(place, to: &json)
        }
        if let next { return next }
        let kinds: [UserItemKind] = [
            .showing, .asking, .history, .participation, .form, .watch, .deadLetter, .record,
        ]
        return kinds.drop { $0 != place.kind }.dropFirst().first.map { Place($0) }
    }

    private nonisolated static func item(
        _ kind: UserItemKind, to json: inout JSONWriter, _ write: (inout JSONWriter) -> Void
    ) {
        json.beginObject()
        json.key("kind")
        json.string(kind.rawValue)
        json.key(kind.rawValue)
        write(&json)
        json.endObject()
    }

    private func writeShowings(_ place: Place, to json: inout JSONWriter) async throws(WireError) -> Place? {
        var presentations = PresentationQuery()
        (presentations.uid, presentations.user, presentations.machines) = (
            query.uid, .user(query.userId), query.machines
        )
        presentations.includesPrompts = true
        presentations.includesRevised = true
        presentations.maxRows = SurveyMethods.rowsOfTurn
        presentations.maxBytes = Method.pageBytes / 2
        presentations.afterRow = try place.pair().map { Int64(clamping: $0.number) }
        let viewer = call.peer.uid
        let (part, next) = try await call.read { [presentations] reader throws(StoreError) in
            var part = JSONWriter()
            let next = try reader.forEachPresentation(presentations) { presentation, _ throws(StoreError) in
                let machine = try reader.machine(
                    of: presentation.user.uid, in: presentation.session ?? presentation.origin)
                Self.item(.showing, to: &part) {
                    presentation.told(to: viewer).write(
                        to: &$0, version: ShownContents.version, withShown: true, machine: machine?.machine,
                        machineUID: machine?.uid)
                }
            }
            return (part.bytes, next)
        }
        if !part.isEmpty { json.raw(part) }
        return next.map { Place(.showing, after: String($0)) }
    }

    private func writeAskings(_ place: Place, to json: inout JSONWriter) async throws(WireError) -> Place? {
        guard includesOwn else { return nil }
        let uid = try place.account()
        let after = try place.pair().flatMap { pair in uid.map { (uid: $0, survey: pair.text) } }
        let found = try await call.read { [query] reader throws(StoreError) in
            try reader.gatings(of: query, after: after, limit: Self.atOnce)
        }
        for (user, survey, gating) in found {
            Self.item(.asking, to: &json) { AskingInfo(gating, of: survey, user).write(to: &$0) }
        }
        guard found.count == Self.atOnce, let last = found.last else { return nil }
        return Place(.asking, after: "\(last.user.uid) \(last.survey)")
    }

    private func writeHistories(_ place: Place, to json: inout JSONWriter) async throws(WireError) -> Place? {
        guard includesOwn else { return nil }
        let uid = try place.account()
        let after = try place.pair().flatMap { pair in uid.map { (uid: $0, rule: pair.text) } }
        let found = try await call.read { [query] reader throws(StoreError) in
            try reader.eventTimes(of: query, after: after, limit: Self.atOnce)
        }
        for (user, rule, times) in found {
            Self.item(.history, to: &json) { HistoryInfo(times, of: rule, user).write(to: &$0) }
        }
        guard found.count == Self.atOnce, let last = found.last else { return nil }
        return Place(.history, after: "\(last.user.uid) \(last.rule)")
    }

    private func writeParticipations(_ place: Place, to json: inout JSONWriter) async throws(WireError) -> Place? {
        guard includesOwn else { return nil }
        var enrolments = EnrolmentQuery()
        (enrolments.uid, enrolments.user, enrolments.limit) = (query.uid, .user(query.userId), Self.atOnce)
        enrolments.afterRow = try place.pair().map { Int64(clamping: $0.number) }
        let (found, next) = try await call.read { [enrolments] reader throws(StoreError) in
            try reader.enrolments(enrolments)
        }
        let (now, isAdministrator) = (call.ledger.now, call.peer.isAdministrator)
        for enrolment in found {
            Self.item(.participation, to: &json) {
                ParticipantInfo(enrolment, now: now, tellsNext: isAdministrator).write(to: &$0)
            }
        }
        return next.map { Place(.participation, after: String($0)) }
    }

    /// The forms of one account, and the profile that is made of them.
    private func writeForms(_ place: Place, to json: inout JSONWriter) async throws(WireError) -> Place? {
        guard includesOwn else { return nil }
        let uid = try place.account()
        let found = try await call.read { [query] reader throws(StoreError) in
            try reader.filledForms(of: query, after: uid)
        }
        guard let (user, forms) = found else { return nil }
        for (form, state) in forms.sorted(by: { $0.key < $1.key }) {
            Self.item(.form, to: &json) { KeptFormInfo(state, of: form.text, user).write(to: &$0) }
        }
        if let profile = try await profile(of: user, forms) {
            Self.item(.profile, to: &json) { profile.info(of: user).write(to: &$0) }
        }
        return Place(.form, after: String(user.uid))
    }

    /// - Returns: nil where there are no rules for one, or nothing of what they are made for was answered.
    private func profile(of user: UserKey, _ forms: UserForms) async throws(WireError) -> Profile? {
        let day = LocalDay.number(atMilliseconds: call.ledger.now.milliseconds)
        return try await call.decide(needing: .forms(of: user)) { engine, _, _ throws(WireError) in
            guard let rules = engine.forms.configuration.profile,
                forms[ExactName(rules.form)]?.answers.isEmpty == false
            else { return nil }
            return try engine.profile(of: user, day: day)
        }.stored().value
    }

    /// A watch for events about any user belongs to no user.
    private func writeWatches(to json: inout JSONWriter) throws(WireError) -> Place? {
        guard includesOwn, let userId = query.userId else { return nil }
        try call.ledger.decide(needing: .watches) { [query] engine, _, now in
            engine.watches.all.filter { watch in
                watch.terms.userId.hasSameBytes(as: userId) && query.uid ?? watch.key.uid == watch.key.uid
            }.sorted { ($0.key.uid, $0.key.id) < ($1.key.uid, $1.key.id) }.map { ($0, engine.due(of: $0, now: now)) }
        }.note { found in
            for (watch, due) in found {
                Self.item(.watch, to: &json) { WatchInfo(watch, dueAt: due).write(to: &$0) }
            }
        }
        return nil
    }

    private func writeDeadLetters(_ place: Place, to json: inout JSONWriter) async throws(WireError) -> Place? {
        let after = try place.pair().map { (destination: $0.text, sequence: $0.number) }
        let letters = try await call.read { [query] reader throws(StoreError) in
            try reader.deadLetters(of: query, after: after, limit: Self.atOnce)
        }
        let isAdministrator = call.peer.isAdministrator
        for letter in letters {
            Self.item(.deadLetter, to: &json) { LetterInfo(letter, withReason: isAdministrator).write(to: &$0) }
        }
        guard letters.count == Self.atOnce, let last = letters.last else { return nil }
        return Place(.deadLetter, after: "\(last.sequence) \(last.destination)")
    }

    private func writeRecords(_ place: Place, to json: inout JSONWriter) async throws(WireError) -> Place? {
        var records = RecordQuery(limit: .max)
        (records.uid, records.user, records.machines) = (query.uid, .user(query.userId), query.machines)
        records.kinds = [.form, .profile, .presentation]
        records.patience = RecordPages.patience
        records.from = try place.pair()?.number
        let (part, page) = try await call.read { [records] reader throws(StoreError) in
            var part = JSONWriter()
            let page = try reader.forEachRecord(records) { session, view in
                Self.item(.record, to: &part) { RecordJSON.write(Record(view, of: session), to: &$0) }
                return part.bytes.count < Method.pageBytes / 2
            }
            return (part.bytes, page)
        }
        if !part.isEmpty { json.raw(part) }
        return page.next.map { Place(.record, after: String($0)) }
    }
}

extension LetterInfo {
    /// - Parameter withReason: Whether to include the server's words and its address, which are for administrators.
    fileprivate init(_ letter: DeadLetter, withReason: Bool) {
        self.init()
        destination = letter.destination
        seq = Int64(clamping: letter.sequence)
        lane = letter.lane
        cause = letter.cause
        reason = withReason ? letter.reason : nil
        at = letter.at
        replays = Int64(letter.replays)
    }
}

import HarkCore
import HarkServer
import HarkWire

/// The input from `hark simulate`: one object a line, whose only member names its kind.
enum SimulationInput {
    case terms(SimulationTerms)
    case session(SimulatedSession)
    case showing(RealShowing)
    case event(SimulatedEvent)
    /// Everything was sent.
    case end
}

/// Reads the lines, in place.
struct SimulationReader: ~Copyable {
    private var tape = JSONTape()
    private let pool = PropertyPool()

    /// - Parameter line: Followed by `JSONTape.padding` readable bytes.
    /// - Returns: Nil for a line without meaning here, such as the question of a program.
    /// - Throws: If the line is of no known form. The sender then has another version.
    mutating func read(_ line: UnsafeBufferPointer<UInt8>) throws(WireError) -> SimulationInput? {
        let root: JSONNode
        do throws(JSONTape.Failure) { root = try tape.parse(line) } catch { throw Self.fault }
        if let event = root.member("event") { return try self.event(event).map(SimulationInput.event) }
        if let session = root.member("session") { return try Self.session(session).map(SimulationInput.session) }
        if let showing = root.member("showing") { return try self.showing(showing).map(SimulationInput.showing) }
        if let terms = root.member("terms") { return .terms(try Self.terms(terms)) }
        guard root.member("end") != nil else { throw Self.fault }
        return .end
    }

    private static let fault = WireError(
        .parseError, "what came on standard input is not what 'hark simulate' sends; use hark and harkd of one version")

    private static func terms(_ node: JSONNode) throws(WireError) -> SimulationTerms {
        guard let since = node.time("since"), let until = node.time("until"), since <= until else { throw fault }
        var terms = SimulationTerms(since: since, until: until)
        terms.answered = node.member("answered")?.double
        terms.seed = UInt64(bitPattern: node.member("seed")?.int ?? 1)
        return terms
    }

    private func event(_ node: JSONNode) throws(WireError) -> SimulatedEvent? {
        guard let id = node.id("id"), let name = node.member("name")?.string, let at = node.time("timestamp"),
            let session = node.id("sessionId")
        else { throw Self.fault }
        let properties = node.member("properties").map { $0.wholeProperties(in: pool) } ?? Properties.none
        guard let properties else { throw Self.fault }
        // An id of another kind does not contain the time at which the event came.
        return SimulatedEvent(
            received: id.time ?? at, at: at, name: name, session: session, properties: properties,
            uid: node.member("source")?.uid)
    }

    private static func session(_ node: JSONNode) throws(WireError) -> SimulatedSession? {
        guard let id = node.id("id"), let app = node.member("app")?.string, let uid = node.uid,
            let started = node.time("startedAt")
        else { throw fault }
        return SimulatedSession(
            id: id, scope: Scope(uid: uid, app: app), userId: node.member("userId")?.string, startedAt: started,
            endedAt: node.time("endedAt"))
    }

    private func showing(_ node: JSONNode) throws(WireError) -> RealShowing? {
        guard let id = node.id("presentationId"), let survey = node.member("surveyId")?.string, let uid = node.uid,
            let app = node.member("app")?.string,
            let state = node.member("state")?.string.flatMap(PresentationState.init(word:))
        else { throw Self.fault }
        // The question of a program has no limits, and a changed answer is no showing of its own.
        guard node.member("promptId") == nil, node.member("revises") == nil, let created = id.time else { return nil }
        var showing = RealShowing(
            id: id, createdAt: created, survey: survey,
            user: UserKey(uid: uid, userId: node.member("userId")?.string), app: app, state: state)
        showing.session = node.id("sessionId")
        showing.presentedAt = node.time("presentedAt")
        showing.closedAt = node.time("closedAt")
        showing.expiresAt = node.time("expiresAt")
        showing.dueAt = node.time("triggerAt")
        let times = node.member("times")
        showing.plannedAt = times?.time("plannedAt")
        if let delays = times?.member("putOff")?.elements {
            for delay in delays {
                guard let at = delay.time("at"), let until = delay.time("until") else { throw Self.fault }
                showing.delays.append((at, until))
            }
        }
        showing.reason = node.member("reason")?.string
        showing.surface = times?.member("surface")?.string.flatMap(Surface.init(rawValue:))
        showing.event = node.member("properties").flatMap { $0.wholeProperties(in: pool) } ?? .none
        if let answers = node.member("answers")?.members {
            for answer in answers {
                showing.answers.append((String(decoding: answer.key, as: UTF8.self), answer.value.toValue()))
            }
        }
        return showing
    }
}

extension JSONNode {
    fileprivate func time(_ name: StaticString) -> Timestamp? {
        member(name)?.utf8.flatMap { Timestamp(utf8: $0) }
    }

    fileprivate func id(_ name: StaticString) -> Identifier? {
        member(name)?.utf8.flatMap { Identifier(utf8: $0) }
    }

    fileprivate var uid: UInt32? { member("uid")?.int.flatMap(UInt32.init(exactly:)) }
}

extension PresentationState {
    fileprivate init?(word: String) {
        guard let state = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = state
    }
}

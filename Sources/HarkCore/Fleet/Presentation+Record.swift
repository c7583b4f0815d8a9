internal import HarkWire

/// A closed presentation as a record for the hub of a fleet.
extension Presentation {
    /// The greatest size of such a record's properties, in bytes. A larger record omits the shown content, then
    /// the answers: a hub accepts no larger record, just as it accepts no such line (`limits.lineBytes`).
    package static let mostRecordBytes = 1 << 20

    /// The survey's id, cut to the longest length of a name.
    package var recordName: String { survey.prefix(bytes: Limits.eventNameBytes) }

    private enum Key {
        static let id = "presentationId"
        static let survey = "surveyId"
        static let user = "userId"
        static let app = "app"
        static let origin = "originId"
        static let session = "sessionId"
        static let state = "state"
        static let reason = "reason"
        static let created = "createdAt"
        static let due = "dueAt"
        static let expires = "expiresAt"
        static let presented = "presentedAt"
        static let closed = "closedAt"
        static let depth = "depth"
        static let uncounted = "uncounted"
        static let locale = "locale"
        static let answers = "answers"
        static let shown = "shown"
        static let promptId = "promptId"
        static let prompt = "prompt"
        static let revises = "revises"
        /// Prefix for the properties of the event that triggered the survey.
        static let property = "property."
    }

    /// Everything that the presentation's row needs on another machine. Times are in milliseconds since 1970; answers,
    /// shown content and prompt are JSON texts. Absent values are left out.
    package var recordProperties: Properties {
        var properties = head
        if !answers.isEmpty {
            properties.appendText(Key.answers, answers.recordText, atMost: Presentation.mostRecordBytes)
        }
        if !shown.isEmpty {
            properties.appendText(
                Key.shown, String(decoding: shown, as: UTF8.self), atMost: Presentation.mostRecordBytes)
        }
        return properties
    }

    private var head: Properties {
        var properties = Properties([(Key.id, .string(id.description)), (Key.survey, .string(survey))])
        func put(_ key: String, _ text: String?) {
            if let text { properties.append(key, .string(text)) }
        }
        func put(_ key: String, _ time: Timestamp?) {
            if let time { properties.append(key, .integer(time.milliseconds)) }
        }
        put(Key.user, user.userId)
        put(Key.app, app)
        put(Key.origin, origin.description)
        put(Key.session, session?.description)
        put(Key.state, state.word)
        put(Key.reason, reason)
        put(Key.created, createdAt)
        put(Key.due, dueAt)
        put(Key.expires, expiresAt)
        put(Key.presented, presentedAt)
        put(Key.closed, closedAt)
        properties.append(Key.depth, .integer(Int64(depth)))
        properties.append(Key.uncounted, .bool(isUncounted))
        if let prompt {
            put(Key.promptId, prompt.id.description)
            put(Key.prompt, String(decoding: prompt.packed, as: UTF8.self))
        }
        put(Key.locale, locale)
        put(Key.revises, revises?.description)
        for (key, value) in trigger.members { properties.append(Key.property + key, value) }
        times.append(to: &properties)
        return properties
    }

    /// The number of keys.
    private static let mostMembers = 21 + Properties.mostKept + ShowingTimes.mostMembers

    /// - Parameter uid: the uid that the presentation gets.
    /// - Returns: nil unless name and properties are exactly as `recordName` and `recordProperties` write them; nil
    ///   also for an open presentation.
    package init?(record properties: Properties, named name: String, uid: UInt32) {
        guard properties.byteCount <= Presentation.mostRecordBytes, properties.isFew(Presentation.mostMembers),
            let id = properties.identifier(Key.id), let survey = properties.text(Key.survey), !survey.isEmpty,
            let app = properties.text(Key.app), let origin = properties.identifier(Key.origin),
            let state = properties.text(Key.state).flatMap({ word in State.allCases.first { $0.word == word } }),
            !state.isOpen, let created = properties.time(Key.created), let due = properties.time(Key.due),
            let closed = properties.time(Key.closed), let depth = properties.number(Key.depth),
            (0...Int64(Presentation.mostDepth)).contains(depth)
        else { return nil }
        let user = UserKey(uid: uid, userId: properties.text(Key.user))
        self.init(
            id: id, survey: survey, user: user, app: app, origin: origin, createdAt: created, state: state, dueAt: due)
        guard (try? Limits.check(userId: user.userId)) != nil, (try? Limits.check(app: app)) != nil else { return nil }
        self.depth = Int(depth)
        closedAt = closed
        session = properties.identifier(Key.session)
        reason = properties.text(Key.reason)
        expiresAt = properties.time(Key.expires)
        presentedAt = properties.time(Key.presented)
        isUncounted = properties[Key.uncounted] == .bool(true)
        locale = properties.text(Key.locale)
        revises = properties.identifier(Key.revises)
        guard let times = ShowingTimes(properties) else { return nil }
        self.times = times
        let kept = properties.members.filter { $0.key.utf8.starts(with: Key.property.utf8) }.map { key, value in
            (String(decoding: key.utf8.dropFirst(Key.property.utf8.count), as: UTF8.self), value)
        }
        trigger = Properties(kept).kept
        guard takeTexts(properties) else { return nil }
        // Refuses members that `recordProperties` would not write, or would write in another order.
        guard recordName.hasSameBytes(as: name), recordProperties == properties else { return nil }
    }

    /// The greatest depth of a chain of surveys that triggered each other.
    private static let mostDepth = 255

    /// - Returns: whether the JSON texts that exist could be read.
    private mutating func takeTexts(_ properties: Properties) -> Bool {
        if let text = properties.text(Key.answers) {
            guard let answers = Answers(recordText: text) else { return false }
            self.answers = answers
        }
        if let text = properties.text(Key.shown) {
            // Text that is not a JSON object was not written by `recordProperties`.
            guard (try? JSONDocument(Array(text.utf8), .json).value.objectValue) != nil else { return false }
            shown = Array(text.utf8)
        }
        if let text = properties.text(Key.prompt) {
            guard let id = properties.identifier(Key.promptId), let prompt = Prompt(id: id, packed: Array(text.utf8)),
                prompt.question.name.hasSameBytes(as: survey)
            else { return false }
            self.prompt = prompt
        }
        return true
    }

    /// The presentation in a record, under the uid of the record's session.
    ///
    /// - Returns: nil also for a record of another kind.
    package init?(_ record: Record) {
        guard record.kind == .presentation else { return nil }
        self.init(record: record.properties, named: record.name, uid: record.session.scope.uid)
    }
}

extension Properties {
    fileprivate func identifier(_ key: String) -> Identifier? { text(key).flatMap { Identifier($0) } }

    fileprivate func time(_ key: String) -> Timestamp? { number(key).map { Timestamp(milliseconds: $0) } }

    /// Whether there are at most `most` members; bounds the linear search for each.
    fileprivate func isFew(_ most: Int) -> Bool {
        var count = 0
        forEachMember { _ in count += 1 }
        return count <= most
    }

    /// Appends a text if it fits.
    fileprivate mutating func appendText(_ key: String, _ text: String, atMost most: Int) {
        guard bytes.count + key.utf8.count + text.utf8.count + Properties.memberOverhead <= most else { return }
        append(key, .string(text))
    }
}

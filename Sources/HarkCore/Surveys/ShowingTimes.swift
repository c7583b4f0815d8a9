package import HarkWire

/// The times of a showing, the place where it was shown, and how long each question took.
///
/// All of it is measured by the daemon's own clocks; claims of clients are not used. Unknown values are nil.
package struct ShowingTimes: Sendable, Equatable {
    /// When it should become ready, at the time it was created. Postponing does not change this.
    package var planned: Timestamp?
    /// When its first notification appeared.
    package var notified: Timestamp?
    /// The number of reminders, and the time of the last one.
    package var reminders: Int64 = 0
    package var lastReminder: Timestamp?
    /// When it was postponed, and until when.
    package private(set) var delays: [Delay] = []
    /// How often the person postponed it, including delays that are no longer kept.
    package private(set) var snoozes: Int64 = 0
    /// When its questions first appeared on screen.
    package var opened: Timestamp?
    package var firstAnswer: Timestamp?
    /// The surface on which it was shown or answered last.
    package var surface: Surface?
    /// The machine's time zone then, by its name in tzdata, and its offset ahead of UTC.
    package var zone: String?
    package var offsetMinutes: Int64?
    /// The place in a study; nil: it is not a prompt of a schedule.
    package var sampling: SamplingPlace?
    /// The wording, by the id of its variant; nil: the survey has none.
    package var variant: String?
    /// How long the machine was asleep while it was on the screen; milliseconds.
    package var asleep: Int64 = 0
    /// The questions that were on screen or answered, in the order of their first appearance.
    package private(set) var items: [Item] = []

    package struct Delay: Sendable, Equatable {
        package let at: Timestamp
        package let until: Timestamp
        /// Whether quiet hours postponed it, and not the person.
        package let isQuiet: Bool
    }

    /// At most this many delays are kept, the newest.
    package static let mostDelays = 100

    package struct Item: Sendable, Equatable {
        package let question: String
        /// How long it was on screen while the machine was awake; milliseconds.
        package var shown: Int64 = 0
        /// How often an answer was replaced by another, or withdrawn.
        package var changes: Int64 = 0
        package var firstAnswer: Timestamp?
        package var lastAnswer: Timestamp?
    }

    package init(planned: Timestamp? = nil) { self.planned = planned }

    package mutating func noteDelay(at now: Timestamp, until: Timestamp, isQuiet: Bool = false) {
        if !isQuiet { snoozes &+= 1 }
        delays.append(Delay(at: now, until: until, isQuiet: isQuiet))
        if delays.count > Self.mostDelays { delays.removeFirst() }
    }

    mutating func change(_ question: String, _ body: (inout Item) -> Void) {
        let place = items.firstIndex { $0.question.hasSameBytes(as: question) } ?? items.endIndex
        if place == items.endIndex {
            // A survey that is changed while it is open may ask ever more; a reader accepts at most the questions of one survey.
            guard items.count < Questionnaire.maxQuestions else { return }
            items.append(Item(question: question))
        }
        body(&items[place])
    }

    /// Notes which answers have changed.
    mutating func note(_ answers: Answers, after before: Answers, at now: Timestamp) {
        for (id, answer) in answers.members where before[id] != answer {
            firstAnswer = firstAnswer ?? now
            change(id) { item in
                if before[id] != nil { item.changes += 1 }
                item.firstAnswer = item.firstAnswer ?? now
                item.lastAnswer = now
            }
        }
        for (id, _) in before.members where answers[id] == nil {
            change(id) { item in
                item.changes += 1
                item.lastAnswer = now
            }
        }
    }
}

/// The form in the store and in the log.
extension ShowingTimes {
    /// The most members that it adds to others.
    static let mostMembers = 20

    package var properties: Properties {
        var properties = Properties()
        append(to: &properties)
        return properties
    }

    func append(to properties: inout Properties) {
        func put(_ key: String, _ number: Int64?) {
            if let number { properties.append(key, .integer(number)) }
        }
        put("planned", planned?.milliseconds)
        put("notified", notified?.milliseconds)
        put("reminders", reminders == 0 ? nil : reminders)
        put("lastReminder", lastReminder?.milliseconds)
        if !delays.isEmpty {
            properties.append("delays", .string(JSONValue.array(delays.flatMap(\.packed)).description))
        }
        // Usually the delays show it. A record of a showing is written in the form of the version that recorded it, which had no
        // such member.
        put("snoozes", snoozes > Int64(delays.count { !$0.isQuiet }) ? snoozes : nil)
        put("opened", opened?.milliseconds)
        put("firstAnswer", firstAnswer?.milliseconds)
        if let surface { properties.append("surface", .string(surface.rawValue)) }
        if let zone { properties.append("zone", .string(zone)) }
        put("offset", offsetMinutes)
        if let variant { properties.append("variant", .string(variant)) }
        put("asleep", asleep == 0 ? nil : asleep)
        if let sampling {
            properties.append("occasion", .string(sampling.occasion.rawValue))
            put("studyDay", sampling.day)
            put("promptOfDay", sampling.prompt)
            put("burst", sampling.burst)
            if let group = sampling.group { properties.append("studyGroup", .string(group)) }
            if let away = sampling.away { properties.append("away", .string(away)) }
        }
        if !items.isEmpty { properties.append("items", .string(JSONValue.array(items.map(\.packed)).description)) }
    }

    /// - Returns: nil for properties that `append` has not written.
    package init?(_ properties: Properties) {
        guard let times = properties.withBytes({ ShowingTimes(packed: $0) }) else { return nil }
        self = times
    }

    package init?(packed bytes: UnsafeBufferPointer<UInt8>) {
        let packed = PackedTimes(bytes)
        self.init(planned: packed.planned)
        (notified, reminders, lastReminder) = (packed.notified, packed.reminders, packed.lastReminder)
        (opened, firstAnswer) = (packed.opened, packed.firstAnswer)
        surface = packed.surface.flatMap { Surface(rawValue: $0.text) }
        (zone, offsetMinutes, asleep) = (packed.zone?.text, packed.offsetMinutes, packed.asleep)
        variant = packed.variant?.text
        if let occasion = packed.occasion.flatMap({ SamplingPlace.Occasion(rawValue: $0.text) }) {
            var place = SamplingPlace(
                occasion: occasion, day: packed.studyDay, prompt: packed.promptOfDay, burst: packed.burst)
            (place.group, place.away) = (packed.studyGroup?.text, packed.away?.text)
            sampling = place
        }
        if let text = packed.delays {
            let isWhole = PackedDelays.forEach(in: text) { noteDelay(at: $0.at, until: $0.until, isQuiet: $0.isQuiet) }
            guard isWhole else { return nil }
            snoozes = max(snoozes, packed.snoozes)
        }
        guard let text = packed.items else { return }
        guard let items = Item.all(in: text) else { return nil }
        self.items = items
    }
}

extension ShowingTimes.Item {
    /// Nil for text that is not an array of items.
    fileprivate static func all(in text: UnsafeBufferPointer<UInt8>) -> [Self]? {
        var items: [Self] = []
        guard PackedItem.forEach(in: text, { items.append(Self($0)) }) else { return nil }
        return items.count <= Questionnaire.maxQuestions ? items : nil
    }
}

extension ShowingTimes.Delay {
    fileprivate var packed: [JSONValue] {
        [.int(at.milliseconds), .int(until.milliseconds), .int(isQuiet ? 1 : 0)]
    }
}

extension ShowingTimes.Item {
    fileprivate var packed: JSONValue {
        let times = [firstAnswer, lastAnswer].map { $0.map { JSONValue.int($0.milliseconds) } ?? .null }
        return .array([.string(question), .int(shown), .int(changes)] + times)
    }

    fileprivate init(_ packed: PackedItem) {
        self.init(
            question: String(decoding: packed.question, as: UTF8.self), shown: packed.shown, changes: packed.changes,
            firstAnswer: packed.firstAnswer.map { Timestamp(milliseconds: $0) },
            lastAnswer: packed.lastAnswer.map { Timestamp(milliseconds: $0) })
    }
}

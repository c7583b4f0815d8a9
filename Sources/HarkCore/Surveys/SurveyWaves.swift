package import HarkWire

/// The results of a survey, as a whole and split into parts: by time (waves), by a shared value, or by both.
// Slices of showings are added one after the other on the reader's thread, and the result is written once: it is never
// shared.
package final class SurveyWaves: @unchecked Sendable {
    private var whole: SurveyResults
    private let survey: String
    private let since: Timestamp
    private let until: Timestamp?
    private let field: ResultField?
    /// The starts of the waves, and the end of the last one; empty for no split by time.
    private let boundaries: [Timestamp]
    private var parts: [Part: Counted] = [:]
    /// The number of showings that had no room in a part of their own.
    private var rest = 0
    /// Hashes of the users who have answered, in the whole and in each part.
    private var people: Set<Int> = []

    /// The indices of recent kinds by key. `bytes` is the total size of these keys.
    private var numbers: [[UInt8]: Int] = [:]
    private var kinds: [ShowingKind] = []
    /// The showings of each kind since it was last added to the whole. `places` is the number of kind counts in parts.
    private var counts: [(isAnswered: Bool, showings: Int)] = []
    private var key: [UInt8] = []
    private var bytes = 0
    private var places = 0

    private static let mostParts = 1_000
    private static let mostKinds = 4_096
    private static let mostBytes = 262_144
    private static let mostPlaces = 65_536
    /// The number of users that are counted as distinct; further ones are not counted.
    private static let mostPeople = 200_000

    private struct Part: Hashable {
        var wave: Int?
        var value: ExactName?
    }

    /// Results, and for each kind the showings not added to them yet: kinds are evaluated once for many showings.
    private struct Counted {
        var results: SurveyResults
        var more: [Int: Int] = [:]
    }

    /// The individual data of a showing in addition to its kind.
    struct Facts {
        let time: Timestamp
        /// The time from showing to answer, in milliseconds.
        let took: Int64?
        /// Nil if anonymous or not answered.
        let person: UInt64?
        let value: String?
    }

    /// - Parameters:
    ///   - since: counts only showings at this time or later.
    ///   - until: counts only showings before this time.
    package init(
        survey: String, by field: ResultField? = nil, boundaries: [Timestamp] = [], since: Timestamp = .earliest,
        until: Timestamp? = nil
    ) {
        (self.survey, self.since, self.until) = (survey, since, until)
        self.field = field
        asksForProperty = if case .property = field { true } else { false }
        asksForMachine = [.machine, .group, .property("machine"), .property("group")].contains(field)
        self.boundaries = boundaries
        whole = SurveyResults(survey: survey)
    }

    /// Whether the split needs the machine of a showing.
    package let asksForMachine: Bool
    /// Whether the split needs a property of the triggering event.
    package let asksForProperty: Bool

    /// Adds a showing.
    ///
    /// - Parameter machine: its machine, on a hub.
    /// - Returns: false for a row that cannot be read.
    package func add(_ row: ShowingRow, on machine: MachineIdentity? = nil) -> Bool {
        key.removeAll(keepingCapacity: true)
        guard let told = row.appendKind(to: &key) else { return false }
        makeRoom(for: 1, bytes: key.count)
        let value = value(
            locale: row.locale?.text, surface: told.surface?.text, zone: told.zone?.text, variant: told.variant?.text,
            app: row.app.text, trigger: row.trigger, machine)
        add(number(of: key), Facts(time: row.time(told), took: row.took, person: row.person, value: value)) {
            Answers(packed: row.answers)
        }
        return true
    }

    /// Adds the showings of a tally that belong to given accounts.
    ///
    /// - Parameter accounts: the accounts, each with its machine.
    package func add(_ tally: ShowingTally, of accounts: [UInt32: MachineIdentity?]) {
        makeRoom(for: tally.rows.count, bytes: tally.kinds.reduce(0) { $0 + $1.count })
        let numbers = tally.kinds.map(number)
        var last: (uid: UInt32, machine: MachineIdentity??)?
        let places = tally.places.map { place in
            // Mostly the same account as the one before.
            let account = last?.uid == place.uid ? last?.machine ?? nil : accounts[place.uid]
            last = (place.uid, account)
            return account.map { machine in
                value(
                    locale: tally.text(1, of: place), surface: tally.text(2, of: place), zone: tally.text(3, of: place),
                    variant: tally.text(4, of: place),
                    app: tally.text(0, of: place) ?? "", trigger: UnsafeBufferPointer(start: nil, count: 0), machine)
            }
        }
        for row in tally.rows {
            guard let value = places[row.place] else { continue }
            let facts = Facts(time: row.time, took: row.took, person: row.person, value: value)
            let texts = { tally.withBytes(row.texts) { Answers(packed: $0) } }
            add(numbers[row.kind], facts, row.texts.isEmpty ? nil : texts)
        }
    }

    /// The value by which the showing is split; only that one becomes a string.
    func value(
        locale: @autoclosure () -> String?, surface: @autoclosure () -> String?, zone: @autoclosure () -> String?,
        variant: @autoclosure () -> String?, app: @autoclosure () -> String, trigger: UnsafeBufferPointer<UInt8>,
        _ machine: MachineIdentity?
    ) -> String? {
        switch field {
        case .locale: locale()
        case .surface: surface()
        case .zone: zone()
        case .variant: variant()
        case .app: app()
        case .machine: machine?.name
        case .group: machine?.group
        case .property(let name):
            Properties.value(of: name, in: trigger).map(PropertyText.make)
                // As for an event, falls back to the machine if there is no property of this name.
                ?? EventField.property(ExactName(name)).origin(of: machine).map(PropertyText.make)
        case nil: nil
        }
    }

    /// Flushes the collected kinds to the results if these showings would exceed the limits.
    func makeRoom(for showings: Int, bytes more: Int) {
        let isFull = kinds.count + showings > Self.mostKinds || bytes + more > Self.mostBytes
        if isFull || places + showings > Self.mostPlaces { countKinds() }
    }

    func number(of key: [UInt8]) -> Int {
        if let known = numbers[key] { return known }
        let number = kinds.count
        let kind = ShowingKind(key)
        kinds.append(kind)
        counts.append((kind.isAnswered, 0))
        numbers[key] = number
        bytes += key.count
        return number
    }

    /// - Parameter answers: the answers, at least the texts; called only if they are needed. Nil if there are no texts.
    func add(_ number: Int, _ facts: Facts, _ answers: (() -> Answers)?) {
        guard facts.time >= since, until.map({ facts.time < $0 }) ?? true else { return }
        counts[number].showings += 1
        if counts[number].isAnswered, let took = facts.took {
            whole.noteAnswer(took: took, isNamed: facts.person != nil, isNewPerson: isNew(facts.person, in: nil))
            if let answers {
                // A tally keeps only the texts of a showing; its other answers are those of its kind.
                let time = facts.time.adding(milliseconds: took)
                whole.noteTexts(at: time, beside: kinds[number].answers, answers)
            }
        }
        guard field != nil || !boundaries.isEmpty else { return }
        var part = Part()
        if let first = boundaries.first, let end = boundaries.last {
            guard facts.time >= first, facts.time < end else { return }
            part.wave = wave(of: facts.time)
        }
        part.value = facts.value.map(ExactName.init)
        guard parts[part] != nil || parts.count < Self.mostParts else {
            rest += 1
            return
        }
        // In place: copying the counts for each showing would take longer than everything else.
        count(
            number, facts, part,
            in: &parts[part, default: Counted(results: SurveyResults(survey: survey, maxTexts: 0))])
    }

    private func count(_ number: Int, _ facts: Facts, _ part: Part, in counted: inout Counted) {
        let before = counted.more[number] ?? 0
        if before == 0 { places += 1 }
        counted.more[number] = before + 1
        guard counts[number].isAnswered, let took = facts.took else { return }
        counted.results.noteAnswer(
            took: took, isNamed: facts.person != nil, isNewPerson: isNew(facts.person, in: part))
    }

    /// Adds the counts by kind to the results.
    private func countKinds() {
        for (kind, count) in zip(kinds, counts) where count.showings > 0 { whole.count(kind, count.showings) }
        for place in parts.values.indices {
            for (number, count) in parts.values[place].more { parts.values[place].results.count(kinds[number], count) }
            parts.values[place].more = [:]
        }
        (numbers, kinds, counts, bytes, places) = ([:], [], [], 0, 0)
    }

    /// The index of the last boundary that is not after `time`.
    private func wave(of time: Timestamp) -> Int {
        var (low, high) = (0, boundaries.count - 1)
        while low + 1 < high {
            let middle = (low + high) / 2
            if boundaries[middle] <= time { low = middle } else { high = middle }
        }
        return low
    }

    private func isNew(_ person: UInt64?, in part: Part?) -> Bool {
        guard let person, people.count < Self.mostPeople else { return false }
        guard let part else { return people.insert(Int(truncatingIfNeeded: person)).inserted }
        var hasher = Hasher()
        hasher.combine(part)
        hasher.combine(person)
        return people.insert(hasher.finalize()).inserted
    }

    /// Writes the results into the open object. Parts are written one by one: there may be a thousand.
    package func writeMembers(to json: inout JSONWriter, survey: Survey?) {
        countKinds()
        whole.info(of: survey).writeMembers(to: &json)
        guard field != nil || !boundaries.isEmpty else { return }
        json.key("parts")
        json.beginArray()
        let order = parts.keys.map { (part: $0, place: FieldKey.order(of: by($0))) }.sorted { left, right in
            left.place == right.place
                ? (left.part.wave ?? 0) < (right.part.wave ?? 0) : left.place.lexicographicallyPrecedes(right.place)
        }
        for (part, _) in order { info(of: part, survey)?.write(to: &json) }
        json.endArray()
        json.key("rest")
        json.int(rest)
    }

    private func info(of part: Part, _ survey: Survey?) -> ResultPart? {
        guard let results = parts[part]?.results else { return nil }
        var info = ResultPart()
        if let wave = part.wave { (info.from, info.until) = (boundaries[wave], boundaries[wave + 1]) }
        if field != nil { info.by = AnyJSON(by(part)) }
        info.counts = results.counts
        let before =
            part.wave.flatMap { parts[Part(wave: $0 - 1, value: part.value)]?.results }
            ?? firstVariant(beside: part, survey)
        info.questions = results.questions(of: survey, before: before)
        return info
    }

    /// The shared value of a part.
    private func by(_ part: Part) -> JSONValue {
        guard let text = part.value?.text else { return .null }
        return asksForProperty ? PropertyText.value(text) : .string(text)
    }

    /// The results of the first variant, with which another one is compared.
    private func firstVariant(beside part: Part, _ survey: Survey?) -> SurveyResults? {
        guard field == .variant, boundaries.isEmpty,
            let first = survey?.content.variants.first.map({ ExactName($0.id) }),
            part.value != nil, part.value != first
        else { return nil }
        return parts[Part(value: first)]?.results
    }
}

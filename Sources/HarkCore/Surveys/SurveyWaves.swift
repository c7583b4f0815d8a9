package import HarkWire

/// The results of a survey as a whole, and of its parts: of times one after the other (waves), of what the showings have in common,
/// or of both.
// One slice of the showings after the other is added on the reader's thread, and what came of all is written once: nobody else
// has it meanwhile.
package final class SurveyWaves: @unchecked Sendable {
    package private(set) var whole: SurveyResults
    private let survey: String
    private let field: ResultField?
    /// Where waves begin, and the last one ends; empty: time is not parted.
    private let boundaries: [Timestamp]
    private var parts: [Part: SurveyResults] = [:]
    /// Showings that there was no room for in a part of their own.
    private var rest = 0
    /// Who has answered, in the whole and in each part.
    private var people: Set<Int> = []

    private static let mostParts = 1_000
    /// So many people are told apart; of more, the first count.
    private static let mostPeople = 200_000

    private struct Part: Hashable {
        var wave: Int?
        var value: ExactName?
    }

    package init(survey: String, by field: ResultField? = nil, boundaries: [Timestamp] = []) {
        self.survey = survey
        self.field = field
        self.boundaries = boundaries
        whole = SurveyResults(survey: survey)
    }

    /// Whether it is of interest on which machine a showing was.
    package var asksForMachine: Bool { field == .machine || field == .group }

    /// - Parameter machine: where it was, on a hub.
    package func add(_ presentation: Presentation, on machine: MachineIdentity? = nil) {
        whole.add(presentation, isNewPerson: isNew(presentation, in: nil))
        guard field != nil || !boundaries.isEmpty else { return }
        var part = Part()
        if let first = boundaries.first, let end = boundaries.last {
            let time = presentation.time
            guard time >= first, time < end else { return }
            part.wave = wave(of: time)
        }
        part.value = value(of: presentation, machine).map(ExactName.init)
        guard parts[part] != nil || parts.count < SurveyWaves.mostParts else {
            rest += 1
            return
        }
        // In its place: a copy of the counts for each showing would take longer than all else.
        parts[part, default: SurveyResults(survey: survey, maxTexts: 0)].add(
            presentation, isNewPerson: isNew(presentation, in: part))
    }

    /// The last boundary that is not after a time.
    private func wave(of time: Timestamp) -> Int {
        var (low, high) = (0, boundaries.count - 1)
        while low + 1 < high {
            let middle = (low + high) / 2
            if boundaries[middle] <= time { low = middle } else { high = middle }
        }
        return low
    }

    private func isNew(_ presentation: Presentation, in part: Part?) -> Bool {
        guard presentation.state == .answered, presentation.user.userId != nil,
            people.count < SurveyWaves.mostPeople
        else { return false }
        var hasher = Hasher()
        hasher.combine(part)
        hasher.combine(presentation.user)
        return people.insert(hasher.finalize()).inserted
    }

    private func value(of presentation: Presentation, _ machine: MachineIdentity?) -> String? {
        switch field {
        case .locale: presentation.locale
        case .surface: presentation.times.surface?.rawValue
        case .zone: presentation.times.zone
        case .app: presentation.app
        case .machine: machine?.name
        case .group: machine?.group
        case nil: nil
        }
    }

    package func write(to json: inout JSONWriter, survey: Survey?) {
        json.beginObject()
        whole.writeMembers(to: &json, survey: survey)
        if field != nil || !boundaries.isEmpty { writeParts(to: &json, survey: survey) }
        json.endObject()
    }

    private func writeParts(to json: inout JSONWriter, survey: Survey?) {
        json.key("parts")
        json.beginArray()
        let order = parts.keys.sorted { left, right in
            let (mine, other) = (left.value?.text ?? "", right.value?.text ?? "")
            return mine.hasSameBytes(as: other)
                ? (left.wave ?? 0) < (right.wave ?? 0) : ExactName(mine) < ExactName(other)
        }
        for part in order {
            guard let results = parts[part] else { continue }
            json.beginObject()
            if let wave = part.wave {
                json.key("from")
                json.timestamp(boundaries[wave])
                json.key("until")
                json.timestamp(boundaries[wave + 1])
            }
            if field != nil {
                json.key("by")
                if let value = part.value { json.string(value.text) } else { json.null() }
            }
            results.writeCounts(to: &json)
            let before = part.wave.flatMap { parts[Part(wave: $0 - 1, value: part.value)] }
            results.writeQuestions(to: &json, survey: survey, before: before)
            json.endObject()
        }
        json.endArray()
        json.key("rest")
        json.int(rest)
    }
}

extension Presentation {
    /// When somebody was shown it, or was to be.
    package var time: Timestamp { presentedAt ?? times.planned ?? dueAt }
}

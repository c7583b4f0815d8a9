package import HarkWire

/// The order in which options are shown, drawn for each showing.
///
/// It follows from the id of the showing, the question's id and the options' values, so it is the same in every place that shows
/// it, after a restart and years later, and needs no storage.
package enum OptionOrder: Sendable, Equatable {
    case all
    /// The last option keeps its place.
    case exceptLast

    static let word = "exceptLast"

    init?(shown value: JSONValue?) {
        switch value {
        case .bool(true): self = .all
        case .string(OptionOrder.word): self = .exceptLast
        default: return nil
        }
    }

    var value: JSONValue { self == .all ? true : .string(OptionOrder.word) }

    /// The options in the order of a draw. Exclusive options, and "Other", are the last ones.
    fileprivate func drawn(_ choices: [Question.Choice], _ draw: StableHash) -> [Question.Choice] {
        let last = self == .exceptLast ? choices.lastIndex { !$0.isOther } : nil
        func stays(_ place: Int) -> Bool { place == last || choices[place].isExclusive || choices[place].isOther }
        let moved = choices.indices.filter { !stays($0) }.map { place in
            var draw = draw
            draw.mix(choices[place].value)
            return (key: draw.value, place: place)
        }
        // Options that stay keep their order, so the one of "exceptLast" comes before "None of these".
        return moved.sorted { ($0.key, $0.place) < ($1.key, $1.place) }.map { choices[$0.place] }
            + choices.indices.filter(stays).map { choices[$0] }
    }
}

extension Question {
    /// The question as it is shown in a showing.
    fileprivate func drawn(_ draw: StableHash) -> Question {
        guard let order else { return self }
        var (question, draw) = (self, draw)
        draw.mix(id)
        question.kind = kind.changingChoices { order.drawn($0, draw) }
        return question
    }
}

extension Questionnaire {
    private static let seed: UInt64 = 0x7368_7566_666c_6521

    package var hasOrders: Bool { questions.contains { $0.order != nil } }

    /// The questions with options in the order of a showing, or of a prompt.
    package func drawn(for id: Identifier) -> Questionnaire {
        var draw = StableHash(Questionnaire.seed)
        for byte in id.rawBytes { draw.mix(byte) }
        return drawn(draw)
    }

    /// The questions of a form with options in the order of a user.
    func drawn(for user: UserKey, of form: String) -> Questionnaire {
        var draw = StableHash(Questionnaire.seed)
        draw.mix(form)
        draw.mix(user)
        return drawn(draw)
    }

    private func drawn(_ draw: StableHash) -> Questionnaire {
        guard hasOrders else { return self }
        var questionnaire = self
        questionnaire.questions = questions.map { $0.drawn(draw) }
        return questionnaire
    }
}

extension SurveyContent {
    /// The end of the shown content, if options had a drawn order (`Survey.shown`).
    private static let orderMark = #""shuffle":true}"#

    /// Writes the member `order` of a showing: by question, the values of options in the shown order.
    ///
    /// - Parameter shown: as `Presentation.shown`; without a drawn order, nothing is written.
    static func writeOrders(in shown: UnsafeBufferPointer<UInt8>, of id: Identifier, to json: inout JSONWriter) {
        // Most surveys have no drawn order, and are not parsed.
        guard shown.suffix(orderMark.utf8.count).elementsEqual(orderMark.utf8),
            let questions = SurveyContent(shown: Array(shown))?.questionnaire.drawn(for: id).questions
        else { return }
        let ordered = questions.filter { $0.order != nil }
        guard !ordered.isEmpty else { return }
        json.key("order")
        json.beginObject()
        for question in ordered {
            json.key(question.id)
            json.beginArray()
            for choice in question.kind.choices ?? [] { json.string(choice.value) }
            json.endArray()
        }
        json.endObject()
    }
}

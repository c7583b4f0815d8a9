internal import HarkWire

extension Answers {
    fileprivate enum Word: String {
        case choice, choices, text, number
    }

    /// The answers in order, as JSON: for each the question, the kind of the answer, and the answer.
    var recordText: String {
        let elements = members.map { id, answer in
            let word: Word =
                switch answer {
                case .choice: .choice
                case .choices: .choices
                case .text: .text
                case .number: .number
                }
            return JSONValue.array([.string(id), .string(word.rawValue), answer.value])
        }
        return JSONValue.array(elements).description
    }

    /// - Returns: nil for text that `recordText` never writes. The caller checks that the result gives the same text
    ///   again.
    init?(recordText text: String) {
        self.init()
        guard let elements = try? JSONDocument(Array(text.utf8), .json).value.arrayValue, !elements.isEmpty,
            elements.count <= Answers.most
        else { return nil }
        for element in elements {
            guard let parts = element.arrayValue, parts.count == 3, let id = parts[0].stringValue,
                let word = parts[1].stringValue.flatMap(Word.init), self[id] == nil,
                let answer = Answer(parts[2], word)
            else { return nil }
            self[id] = answer
        }
    }

    /// The limit for one survey; bounds the linear search for each id.
    private static let most = Questionnaire.maxQuestions

    fileprivate static func texts(_ value: JSONValue) -> [String]? {
        guard let elements = value.arrayValue else { return nil }
        let texts = elements.compactMap(\.stringValue)
        return texts.count == elements.count ? texts : nil
    }
}

extension Answer {
    fileprivate init?(_ value: JSONValue, _ word: Answers.Word) {
        switch word {
        case .choice:
            guard let text = value.stringValue else { return nil }
            self = .choice(text)
        case .text:
            guard let text = value.stringValue else { return nil }
            self = .text(text)
        case .choices:
            guard let texts = Answers.texts(value) else { return nil }
            self = .choices(texts)
        case .number:
            guard let number = ExactNumber(value) else { return nil }
            self = .number(number)
        }
    }
}

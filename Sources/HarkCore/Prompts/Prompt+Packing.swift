package import HarkWire

/// The stored form of a prompt, kept with each of its presentations: JSON.
extension Prompt {
    package var packed: [UInt8] {
        var members: JSONObject = ["asker": .int(Int64(asker)), "kept": .bool(isKept)]
        question.pack(into: &members)
        return Array(JSONValue.object(members).description.utf8)
    }

    /// - Returns: nil for bytes that `packed` has not written.
    package init?(id: Identifier, packed: [UInt8]) {
        guard let members = try? JSONDocument(packed, .json).value.objectValue,
            let asker = members["asker"]?.intValue.flatMap({ UInt32(exactly: $0) }),
            let question = PromptQuestion(packed: members)
        else { return nil }
        self.init(id: id, asker: asker, isKept: members["kept"]?.boolValue ?? false, question: question)
    }
}

extension PromptQuestion {
    fileprivate enum Word: String {
        case options, multiple, text, combined, rating, other
    }

    fileprivate func pack(into members: inout JSONObject) {
        members["name"] = .string(name)
        members["title"] = .string(title)
        members["message"] = .string(message)
        let (word, options): (Word, [String]?) =
            switch kind {
            case .options(let options): (.options, options)
            case .multiple(let options): (.multiple, options)
            case .combined(let options): (.combined, options)
            case .text: (.text, nil)
            case .rating: (.rating, nil)
            case .other: (.other, nil)
            }
        members["kind"] = .string(word.rawValue)
        members["options"] = options.map { .array($0.map(JSONValue.string)) }
        if case .rating(let scale) = kind { members["scale"] = .int(Int64(scale)) }
        if case .other(_, _, _, let document) = kind { members["document"] = document }
        members["default"] = fallback.members.first?.answer.value
    }

    fileprivate init?(packed members: JSONObject) {
        guard let name = members["name"]?.stringValue, let title = members["title"]?.stringValue,
            let word = members["kind"]?.stringValue.flatMap(Word.init)
        else { return nil }
        let options = members["options"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let kind: Kind? =
            switch word {
            case .other: members["document"].flatMap { try? PromptQuestion.other($0) }
            case .options: .options(options)
            case .multiple: .multiple(options)
            case .combined: .combined(options)
            case .text: .text
            case .rating: .rating(scale: members["scale"]?.intValue.flatMap { Int(exactly: $0) } ?? 0)
            }
        guard let kind else { return nil }
        let question = try? PromptQuestion(
            name: name, title: title, message: members["message"]?.stringValue ?? "", kind: kind,
            fallback: members["default"])
        guard let question else { return nil }
        self = question
    }
}

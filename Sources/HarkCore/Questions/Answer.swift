package import HarkWire

/// A valid answer to one question, in its final form.
package enum Answer: Sendable, Equatable {
    case choice(String)
    case choices([String])
    /// Trimmed.
    case text(String)
    case number(ExactNumber)

    /// The answer as a JSON value, for the conditions of branches and for replies.
    package var value: JSONValue {
        switch self {
        case .choice(let text), .text(let text): .string(text)
        case .choices(let texts): .array(texts.map(JSONValue.string))
        case .number(let number): number.value
        }
    }

    /// The answer as one text.
    ///
    /// - Parameter separator: separates several choices.
    func text(separator: String) -> String {
        switch self {
        case .choice(let text), .text(let text): text
        case .choices(let texts): texts.joined(separator: separator)
        case .number(let number): number.description
        }
    }
}

extension Answer {
    /// Compares texts byte for byte, so that a correction never equals the earlier answer.
    package static func == (left: Answer, right: Answer) -> Bool {
        switch (left, right) {
        case (.choice(let mine), .choice(let other)), (.text(let mine), .text(let other)):
            mine.hasSameBytes(as: other)
        case (.choices(let mine), .choices(let other)): mine.elementsEqual(other) { $0.hasSameBytes(as: $1) }
        case (.number(let mine), .number(let other)): mine == other
        default: false
        }
    }
}

/// The answers to the questions of one survey or form, in the order given.
package struct Answers: Sendable, Equatable {
    package private(set) var members: [(id: String, answer: Answer)] = []

    package init() {}

    package var isEmpty: Bool { members.isEmpty }

    package subscript(id: String) -> Answer? {
        get { members.first { $0.id.hasSameBytes(as: id) }?.answer }
        set {
            let index = members.firstIndex { $0.id.hasSameBytes(as: id) }
            switch (index, newValue) {
            case (let index?, let answer?): members[index].answer = answer
            case (let index?, nil): members.remove(at: index)
            case (nil, let answer?): members.append((id, answer))
            case (nil, nil): break
            }
        }
    }

    package static func == (left: Answers, right: Answers) -> Bool {
        left.members.elementsEqual(right.members) { $0.id.hasSameBytes(as: $1.id) && $0.answer == $1.answer }
    }

    package func write(to json: inout JSONWriter) {
        json.beginObject()
        for (id, answer) in members {
            json.key(id)
            json.value(answer.value)
        }
        json.endObject()
    }
}

extension AnyJSON {
    package init(_ answers: Answers) { self.init(writing: answers.write) }
}

/// The packed form in the store: properties whose key is a letter for the kind followed by the question's id; several choices are
/// one property each.
extension Answers {
    package var packed: Properties {
        var properties = Properties.none
        for (id, answer) in members {
            switch answer {
            case .choice(let text): properties.append("c" + id, .string(text))
            case .text(let text): properties.append("t" + id, .string(text))
            case .number(let number):
                // A number with a point is kept as its text, digit by digit.
                if let whole = number.whole {
                    properties.append("n" + id, .integer(whole))
                } else {
                    properties.append("d" + id, .string(number.description))
                }
            case .choices(let texts): for text in texts { properties.append("m" + id, .string(text)) }
            }
        }
        return properties
    }

    package init(packed properties: Properties) { self = properties.withBytes { Answers(packed: $0) } }

    package init(packed bytes: UnsafeBufferPointer<UInt8>) {
        Properties.forEachMember(in: bytes) { member in
            let id = String(decoding: member.key.dropFirst(), as: UTF8.self)
            switch (member.key.first.map { Unicode.Scalar($0) }, member.value) {
            case ("c", .string(let text)): self[id] = .choice(text.text)
            case ("t", .string(let text)): self[id] = .text(text.text)
            case ("n", .integer(let number)): self[id] = ExactNumber(number).map(Answer.number)
            case ("d", .string(let text)): self[id] = ExactNumber(text.text).map(Answer.number)
            case ("m", .string(let text)):
                if case .choices(let texts) = self[id] {
                    self[id] = .choices(texts + [text.text])
                } else {
                    self[id] = .choices([text.text])
                }
            default: break
            }
        }
    }
}

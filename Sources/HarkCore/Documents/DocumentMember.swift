package import HarkWire

/// A member of surveys or forms that came after version 0.1.0, or a value of one, which earlier versions cannot read.
///
/// The table of all of them (`DocumentMember.all`) gives the version up to which a machine reads documents. By it, a hub also
/// decides which parts a machine gets (`DocumentFit`).
package struct DocumentMember: Sendable, Equatable {
    /// The object that it is a member of.
    package enum Place: String, Sendable, CaseIterable {
        case surveys, survey, trigger, response, textField, question, option, texts, textFieldTexts, questionTexts
        case forms, form
    }

    /// The part that earlier versions get.
    package enum Weight: String, Sendable, CaseIterable {
        /// Nothing of the survey or form: without the member, the survey would ask other people, at other times or something
        /// else, or the answers would have another meaning or retention. If it is a member of the file: no survey at all.
        case meaning
        /// All but the member, which changes only the look.
        case look
        /// All but the member, which does nothing without another one.
        case companion
    }

    /// The values of the member to which the row applies.
    package enum Values: Sendable, Equatable {
        case all
        case word(String)
        /// Lists with objects in them.
        case objects
    }

    package let place: Place
    package let name: String
    package let values: Values
    package let since: DocumentVersion
    package let weight: Weight

    package init(
        _ place: Place, _ name: String, _ values: Values = .all, since: DocumentVersion, _ weight: Weight
    ) {
        self.place = place
        self.name = name
        self.values = values
        self.since = since
        self.weight = weight
    }

    func means(_ value: JSONValue) -> Bool {
        switch values {
        case .all: true
        case .word(let word): value.stringValue?.hasSameBytes(as: word) ?? false
        case .objects: value.arrayValue?.contains { $0.objectValue != nil } ?? false
        }
    }

    /// Its name, with the value if only the value is new.
    var words: String {
        if case .word(let word) = values { "\(name): \(word)" } else { name }
    }
}

extension DocumentMember.Place {
    /// How to reach the values of a member.
    enum Way {
        case itself(DocumentMember.Place)
        /// The elements of an array.
        case elements(DocumentMember.Place)
        /// The values of an object, under any name.
        case values(DocumentMember.Place)
    }

    /// The members that lead to other places.
    var ways: [String: Way] {
        switch self {
        case .surveys: ["surveys": .elements(.survey)]
        case .survey:
            [
                "trigger": .itself(.trigger), "response": .itself(.response), "questions": .elements(.question),
                "translations": .values(.texts),
            ]
        case .response: ["textField": .itself(.textField)]
        case .question: ["options": .elements(.option)]
        case .texts: ["textField": .itself(.textFieldTexts), "questions": .values(.questionTexts)]
        case .forms: ["forms": .elements(.form)]
        case .form: ["questions": .elements(.question)]
        case .trigger, .textField, .option, .textFieldTexts, .questionTexts: [:]
        }
    }
}

package import HarkWire

/// A member of surveys or forms that came after version 0.1.0, or a value of one, which earlier versions cannot read.
///
/// The table of them (`DocumentMember.all`) is what a machine goes by when it says up to which version it reads documents, and
/// what a hub goes by for what a machine gets (`DocumentFit`).
package struct DocumentMember: Sendable, Equatable {
    /// The object that it is a member of.
    package enum Place: String, Sendable, CaseIterable {
        case surveys, survey, trigger, response, textField, question, option, texts, textFieldTexts, questionTexts
        case forms, form
    }

    /// What earlier versions get.
    package enum Weight: String, Sendable, CaseIterable {
        /// Nothing of the survey or form: without the member, other people would be asked, or at other times, or something
        /// else, or the answers would mean something else, or be kept otherwise. Of the file: no survey at all.
        case meaning
        /// All but the member, which changes how it looks.
        case look
        /// All but the member, which does nothing without another one.
        case companion
    }

    /// Which values are meant.
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

    /// Its name, with the value where only that is new.
    var words: String {
        if case .word(let word) = values { "\(name): \(word)" } else { name }
    }
}

extension DocumentMember.Place {
    /// How the values of a member are reached.
    enum Way {
        case itself(DocumentMember.Place)
        /// The elements of an array.
        case elements(DocumentMember.Place)
        /// The values of an object, whatever their names.
        case values(DocumentMember.Place)
    }

    /// Where its members lead on.
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

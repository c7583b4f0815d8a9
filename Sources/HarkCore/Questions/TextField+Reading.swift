internal import HarkPattern
internal import HarkWire

extension Question.TextField {
    /// Reads the members that every text field has.
    static func read(_ reader: inout ObjectReader) -> Question.TextField {
        var field = Question.TextField(
            placeholder: reader.text("placeholder"), minLength: reader.integer("minLength", in: 0...Int.max),
            maxLength: reader.integer("maxLength", in: 1...Int.max))
        if let least = field.minLength, let most = field.maxLength, least > most {
            reader.issues.error(reader.path("maxLength"), "is less than minLength")
        }
        field.readPattern(&reader)
        return field
    }

    /// Reads `"pattern": "[0-9]{5}"`, with the message for a text of another form.
    private mutating func readPattern(_ reader: inout ObjectReader) {
        pattern = reader.name("pattern").flatMap { text in
            do throws(AnswerPattern.Fault) {
                return try AnswerPattern(text)
            } catch {
                let place = error.offset == 0 ? "at its start" : "behind its first \(error.offset) characters"
                reader.issues.error(
                    reader.path("pattern"), "is no regular expression of PCRE2: \(error.reason) (\(place))")
                return nil
            }
        }
        if reader.has("patternMessage"), !reader.has("pattern") {
            reader.issues.error(reader.path("patternMessage"), "needs a 'pattern', too")
        }
        patternMessage = reader.name("patternMessage")
        guard pattern != nil else { return }
        let most = AnswerPattern.mostCharacters
        for (name, length) in [("minLength", minLength), ("maxLength", maxLength)] {
            guard let length, length > most else { continue }
            reader.issues.error(reader.path(name), "must be at most \(most) with 'pattern'")
        }
        maxLength = maxLength ?? most
    }
}

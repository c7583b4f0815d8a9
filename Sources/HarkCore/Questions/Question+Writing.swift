internal import HarkPattern
package import HarkWire

extension Question {
    /// Writes the question with everything needed to show it and to check an answer before it is sent.
    ///
    /// - Parameter ratesOptions: whether options that read like ratings get a face.
    package func write(to json: inout JSONWriter, ratesOptions: Bool = true) {
        json.beginObject()
        json.key("id")
        json.string(id)
        json.key("type")
        json.string(kind.type.rawValue)
        json.key("question")
        json.string(prompt)
        if let of {
            json.key("of")
            json.string(of)
        }
        if let matrix {
            json.key("matrix")
            json.beginObject()
            json.key("id")
            json.string(matrix.id)
            json.key("question")
            json.string(matrix.prompt)
            json.endObject()
        }
        image?.writeMembers(to: &json)
        json.key("required")
        json.bool(isRequired)
        if let when {
            json.key("when")
            json.string(when.text)
        }
        if let order {
            json.key("shuffle")
            json.value(order.value)
        }
        writeKind(to: &json, ratesOptions)
        ends.writeMembers(to: &json)
        json.endObject()
    }

    private func writeKind(to json: inout JSONWriter, _ ratesOptions: Bool) {
        switch kind {
        case .single(let choices), .yesNo(let choices):
            write(choices, to: &json, ratesOptions)
        case .consent(let choices, let version):
            write(choices, to: &json, ratesOptions)
            if let version {
                json.key("version")
                json.string(version)
            }
        case .ranking(let choices, let top):
            write(choices, to: &json, false)
            json.key("top")
            json.int(top)
        case .multiple(let choices, let count):
            write(choices, to: &json, ratesOptions)
            json.key("minSelections")
            json.int(count.lowerBound)
            json.key("maxSelections")
            json.int(count.upperBound)
        case .text(let field):
            field.writeMembers(to: &json)
        case .rating(let rating):
            write(rating, to: &json)
        case .scale(let scale): scale.writeMembers(to: &json)
        case .number(let rule): rule.writeMembers(to: &json)
        case .moment(let rule):
            for (key, bound) in [("min", rule.bounds.min), ("max", rule.bounds.max)] {
                guard let bound else { continue }
                json.key(key)
                json.string(bound)
            }
        case .nps, .note: break
        }
    }

    private func write(_ choices: [Choice], to json: inout JSONWriter, _ ratesOptions: Bool) {
        let emoji = RatingEmoji.emoji(forAll: choices.map(\.ownLabel))
        // Only if all labels are ratings: colours or cities are none, and a star among faces would look like the best
        // one.
        let isRating = ratesOptions && emoji.allSatisfy { $0 != RatingEmoji.other }
        json.key("options")
        json.beginArray()
        for (choice, emoji) in zip(choices, emoji) {
            json.beginObject()
            json.key("value")
            json.string(choice.value)
            json.key("label")
            json.string(choice.label)
            // A label that begins with a picture needs no second one.
            let face = isRating && !RatingEmoji.begins(choice.label) ? emoji : nil
            if let picture = choice.emoji ?? face {
                json.key("emoji")
                json.string(picture)
            }
            if choice.isOther {
                json.key("other")
                json.bool(true)
            }
            if choice.isExclusive {
                json.key("exclusive")
                json.bool(true)
            }
            choice.image?.writeMembers(to: &json)
            json.endObject()
        }
        json.endArray()
    }

    private func write(_ rating: Rating, to json: inout JSONWriter) {
        json.key("scale")
        json.int(rating.scale)
        if !rating.labels.isEmpty {
            json.key("labels")
            json.beginArray()
            for label in rating.labels { json.string(label) }
            json.endArray()
        }
        json.key("shape")
        json.string(rating.shape.rawValue)
        guard rating.shape != .numbers else { return }
        json.key("emoji")
        json.beginArray()
        for value in 1...rating.scale {
            json.string(RatingEmoji.emoji(for: value, of: rating.scale, as: rating.shape))
        }
        json.endArray()
    }
}

extension Question.TextField {
    func writeMembers(to json: inout JSONWriter) {
        if let placeholder, !placeholder.isEmpty {
            json.key("placeholder")
            json.string(placeholder)
        }
        if let minLength {
            json.key("minLength")
            json.int(minLength)
        }
        if let maxLength {
            json.key("maxLength")
            json.int(maxLength)
        }
        if let pattern {
            json.key("pattern")
            json.string(pattern.text)
        }
        if let patternMessage {
            json.key("patternMessage")
            json.string(patternMessage)
        }
    }
}

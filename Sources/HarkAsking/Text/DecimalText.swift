package import HarkWire

/// A number as a person writes it.
package enum DecimalText {
    private static let marks: Set<Character> = [".", ",", "٫"]
    private static let minuses: Set<Character> = ["-", "−"]

    /// Reads a number; for invalid input, returns the fault.
    ///
    /// Comma and point are both decimal marks. If three digits follow a mark that is not the language's own, the mark could also
    /// separate thousands, so the input is refused.
    package static func read(_ text: String, mark own: Character = Words.decimalMark) -> Result<ExactNumber, Fault> {
        let characters = Array(text)
        guard characters.count <= 40 else { return .failure(.noNumber(own)) }
        var plain = ""
        var mark: (character: Character, place: Int)?
        for (place, character) in characters.enumerated() {
            // A superscript is no digit, and those of all scripts are.
            if let digit = character.wholeNumberValue, character.unicodeScalars.count == 1,
                character.unicodeScalars.first?.properties.numericType == .decimal
            {
                plain += String(digit)
            } else if place == 0, minuses.contains(character) {
                plain += "-"
            } else if marks.contains(character), mark == nil {
                mark = (character, place)
                plain += "."
            } else if character == "e" || character == "E", plain.contains(where: \.isNumber) {
                return .failure(.exponent)
            } else {
                return .failure(.noNumber(own))
            }
        }
        let decimals = mark.map { characters.count - $0.place - 1 } ?? 0
        if let mark, mark.character != own, mark.character != "٫", decimals == 3, mark.place > 0 {
            let whole = plain.replacing(".", with: "")
            return .failure(.unclear(whole: whole, decimal: plain.replacing(".", with: String(own))))
        }
        if decimals > ExactNumber.digits { return .failure(.digits) }
        // ".5" and "5." are understood.
        if plain.hasPrefix(".") { plain = "0" + plain }
        if plain.hasPrefix("-.") { plain = "-0" + plain.dropFirst() }
        if plain.hasSuffix(".") { plain.removeLast() }
        return ExactNumber(plain).map { .success($0) } ?? .failure(.noNumber(own))
    }

    /// The number with the language's own mark.
    package static func text(_ number: ExactNumber, mark: Character = Words.decimalMark) -> String {
        number.description.replacing(".", with: String(mark))
    }

    package enum Fault: Error, Equatable {
        case noNumber(Character)
        case exponent, digits
        case unclear(whole: String, decimal: String)

        /// A sentence that describes valid input.
        package var sentence: String {
            switch self {
            case .noNumber(let mark): Words.say("Write a number, such as {example}.", ["example": "12\(mark)5"])
            case .exponent: Words.say("Write all digits of the number, without an “e”.")
            case .digits:
                Words.say(
                    "Write at most {count} digits after the decimal mark.", ["count": String(ExactNumber.digits)])
            case .unclear(let whole, let decimal):
                Words.say(
                    "Write {one} or {other}, whichever you mean.", ["one": whole, "other": decimal])
            }
        }
    }
}

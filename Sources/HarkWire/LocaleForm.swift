/// How a language writes numbers, dates and lists, and which plural goes with a number.
///
/// Languages that are not in its tables are written as English, and dates as in ISO 8601.
package struct LocaleForm: Sendable, Equatable {
    /// Such as `pt`; in lower case.
    package let language: String
    /// Such as `br`; in lower case.
    package let region: String?

    /// - Parameter locale: a language tag or a POSIX locale (`de-AT`, `pt_BR.UTF-8`); nil means English.
    package init(_ locale: String?) {
        let parts = (locale ?? "en").split { "_-.@".contains($0) }.map { $0.lowercased() }
        language = parts.first ?? "en"
        region = parts.dropFirst().first
    }

    /// What parts whole numbers from their decimals.
    package var decimalMark: Character {
        // Spanish has a point from Mexico to Panama.
        if language == "es", let region, Self.spanishWithPoint.contains(region) { return "." }
        return Self.withComma.contains(language) ? "," : "."
    }

    private static let spanishWithPoint: Set<String> = ["do", "gt", "hn", "mx", "ni", "pa", "pr", "sv", "us"]
    private static let withComma: Set<String> = [
        "af", "bg", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fr", "gl", "hr", "hu", "id", "is", "it",
        "lt", "lv", "nb", "nl", "nn", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr", "sv", "tr", "uk", "vi",
    ]

    /// What parts thousands: a point, a comma, or a space at which no line breaks.
    package var groupMark: Character {
        guard decimalMark == "," else { return "," }
        return Self.withPoints.contains(language) ? "." : "\u{A0}"
    }

    private static let withPoints: Set<String> = [
        "ca", "da", "de", "el", "es", "eu", "gl", "hr", "id", "is", "it", "nl", "pt", "ro", "sl", "sr", "tr", "vi",
    ]

    /// Whether the sign of a currency stands before the amount, and whether a space parts them.
    var currencyPlace: (isBefore: Bool, isSpaced: Bool) {
        switch language {
        case "nl", "tr": (true, language == "nl")
        case "pt": (region != "pt", true)
        default: decimalMark == "." ? (true, false) : (false, true)
        }
    }

    /// The order of year, month and day.
    enum DateOrder {
        case yearFirst(Character)
        case monthFirst
        case dayFirst(Character)
    }

    var dateOrder: DateOrder {
        switch language {
        case "en":
            switch region {
            case "us": .monthFirst
            case "au", "gb", "ie", "in", "nz", "za": .dayFirst("/")
            default: .yearFirst("-")
            }
        case "ja", "zh": .yearFirst("/")
        case "ar", "ca", "el", "es", "fr", "gl", "he", "id", "it", "pt", "vi": .dayFirst("/")
        case "da", "nl": .dayFirst("-")
        case "bg", "cs", "de", "et", "fi", "hr", "is", "lv", "nb", "nn", "no", "pl", "ro", "ru", "sk", "sl", "sr", "tr",
            "uk":
            .dayFirst(".")
        default: .yearFirst("-")
        }
    }

    /// Whether a day has twice twelve hours.
    var hasTwelveHours: Bool { language == "en" && ["us", "au", "nz", "in"].contains(region) }

    /// Several texts as a list: `a, b and c`. Languages without a known word have commas only.
    package func list(_ texts: [String]) -> String {
        guard texts.count > 1, let last = texts.last, let word = Self.and[language] else {
            return texts.joined(separator: ", ")
        }
        return texts.dropLast().joined(separator: ", ") + word + last
    }

    private static let and = [
        "ar": " و", "de": " und ", "en": " and ", "es": " y ", "fr": " et ", "it": " e ", "nl": " en ", "pl": " i ",
        "pt": " e ",
    ]
}

/// The categories of plurals, as Unicode's CLDR names them.
package enum PluralCategory: String, Sendable, CaseIterable {
    case zero, one, two, few, many, other
}

extension LocaleForm {
    /// The category of a number, by the cardinal rules of CLDR.
    ///
    /// - Parameter whole: the number; nil for one with decimals.
    package func plural(_ whole: UInt64?) -> PluralCategory {
        guard let whole else {
            return ["cs", "lt", "sk"].contains(language) ? .many : .other
        }
        let (last, lastTwo) = (whole % 10, whole % 100)
        switch language {
        case "id", "ja", "ko", "th", "vi", "zh": return .other
        case "fr", "pt": return whole < 2 ? .one : .other
        case "ar":
            switch whole {
            case 0: return .zero
            case 1: return .one
            case 2: return .two
            default: return (3...10).contains(lastTwo) ? .few : lastTwo >= 11 ? .many : .other
            }
        case "he": return whole == 1 ? .one : whole == 2 ? .two : .other
        case "cs", "sk": return whole == 1 ? .one : (2...4).contains(whole) ? .few : .other
        case "pl":
            if whole == 1 { return .one }
            return (2...4).contains(last) && !(12...14).contains(lastTwo) ? .few : .many
        case "ru", "uk":
            if last == 1, lastTwo != 11 { return .one }
            return (2...4).contains(last) && !(12...14).contains(lastTwo) ? .few : .many
        case "hr", "sr":
            if last == 1, lastTwo != 11 { return .one }
            return (2...4).contains(last) && !(12...14).contains(lastTwo) ? .few : .other
        case "lt":
            if last == 1, !(11...19).contains(lastTwo) { return .one }
            return last >= 2 && !(11...19).contains(lastTwo) ? .few : .other
        case "sl":
            switch lastTwo {
            case 1: return .one
            case 2: return .two
            case 3, 4: return .few
            default: return .other
            }
        case "ro":
            return whole == 1 ? .one : whole == 0 || (1...19).contains(lastTwo) ? .few : .other
        default: return whole == 1 ? .one : .other
        }
    }
}

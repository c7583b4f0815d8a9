import HarkWire

/// Translations of words that the daemon sends in English in its questions.
enum UsualWords {
    /// Returns a label in the person's language if it is one of the usual ones, else unchanged.
    static func said(_ label: String) -> String {
        switch label {
        case "Yes": Words.say("Yes")
        case "No": Words.say("No")
        case "Other": Words.say("Other")
        case "I agree": Words.say("I agree")
        case "I do not agree": Words.say("I do not agree")
        case "Very dissatisfied": Words.say("Very dissatisfied")
        case "Dissatisfied": Words.say("Dissatisfied")
        case "Neutral": Words.say("Neutral")
        case "Satisfied": Words.say("Satisfied")
        case "Very satisfied": Words.say("Very satisfied")
        case "Strongly disagree": Words.say("Strongly disagree")
        case "Disagree": Words.say("Disagree")
        case "Somewhat disagree": Words.say("Somewhat disagree")
        case "Neither agree nor disagree": Words.say("Neither agree nor disagree")
        case "Somewhat agree": Words.say("Somewhat agree")
        case "Agree": Words.say("Agree")
        case "Strongly agree": Words.say("Strongly agree")
        default: label
        }
    }

    /// The keys that answer yes and no: the first letters of the labels; nil if they are the same.
    static func keys(_ labels: [String]) -> [Character?]? {
        let letters = labels.map { $0.first { $0.isLetter }.flatMap { $0.lowercased().first } }
        return Set(letters).count == labels.count && !letters.contains(nil) ? letters : nil
    }
}

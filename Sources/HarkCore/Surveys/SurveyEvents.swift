internal import HarkWire

/// An event that was recorded about a survey, and may trigger the next one.
struct SurveyEvent {
    let name: String
    let properties: Properties
    let session: SessionIdentity
    /// The depth of its presentation.
    let depth: Int
    let answers: Answers
    let recorded: Recorded
}

extension SurveyContent.ResponseType {
    /// The word in `survey_presented` and `survey_dismissed`.
    var eventWord: String {
        switch self {
        case .options: "choice"
        case .text, .combined, .questions: rawValue
        }
    }
}

/// The names of the events that surveys record.
package enum SurveyEvents {
    /// The most surveys that may be triggered by each other's events, after the first one: a loop ends there, until another event
    /// comes.
    package static let maxDepth = 5

    static let names = ofShowings + StudyEvents.all
    /// The events that destinations count as surveys, and not as other events.
    private static let ofShowings = [presented, response, dismissed, takenBack, quota]
    static let presented = "survey_presented"
    static let response = "survey_response"
    package static let dismissed = "survey_dismissed"
    /// The answers of a showing do not count any more.
    static let takenBack = "survey_taken_back"
    /// A survey has all the answers of its quota, or of a cell.
    static let quota = "survey_quota"

    package static func isName(_ name: String) -> Bool {
        let bytes = name.utf8
        guard bytes.count >= shortest, bytes.first == UInt8(ascii: "s") else { return false }
        return ofShowings.contains { $0.utf8.elementsEqual(bytes) }
    }

    package static func isName(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        // Nearly all names differ in the first bytes.
        guard name.count >= shortest, name[0] == UInt8(ascii: "s"), name[6] == UInt8(ascii: "_") else { return false }
        return ofShowings.contains { $0.utf8.elementsEqual(name) }
    }

    /// In bytes: that of `survey_quota`.
    private static let shortest = 12
}

/// The names of the events that surveys record of themselves.
package enum SurveyEvents {
    static let presented = "survey_presented"
    static let response = "survey_response"
    static let dismissed = "survey_dismissed"

    package static func isName(_ name: String) -> Bool {
        let bytes = name.utf8
        guard bytes.count >= 15, bytes.first == UInt8(ascii: "s") else { return false }
        return name == presented || name == response || name == dismissed
    }

    package static func isName(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        // Nearly all names differ in the first bytes.
        guard name.count >= 15, name[0] == UInt8(ascii: "s"), name[6] == UInt8(ascii: "_") else { return false }
        return [presented, response, dismissed].contains { $0.utf8.elementsEqual(name) }
    }
}

internal import HarkWire

/// What a person reads once a survey is answered.
package struct SurveyThanks: Sendable, Equatable {
    package var title: String
    package var message: String?

    package init(title: String, message: String? = nil) {
        self.title = title
        self.message = message
    }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("title")
        json.string(title)
        if let message {
            json.key("message")
            json.string(message)
        }
        json.endObject()
    }
}

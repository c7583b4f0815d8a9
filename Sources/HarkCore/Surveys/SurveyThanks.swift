internal import HarkWire

/// The text that a person reads once a survey is answered.
package struct SurveyThanks: Sendable, Equatable {
    package var title: String
    package var message: String?

    package init(title: String, message: String? = nil) {
        self.title = title
        self.message = message
    }

    var info: ThanksInfo {
        var info = ThanksInfo()
        (info.title, info.message) = (title, message)
        return info
    }
}

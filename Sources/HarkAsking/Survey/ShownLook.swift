import HarkClient
package import HarkWire

/// The colours and the logo that the settings give to windows.
package struct ShownLook: Sendable, Equatable {
    package let accent: Colour?
    package let background: Colour?
    /// The path of a file.
    package let logo: String?

    /// - Parameter reply: The reply to `survey.look`.
    init(_ reply: LookInfo) {
        accent = reply.accent.flatMap { Colour($0) }
        background = reply.background.flatMap { Colour($0) }
        logo = reply.logo
    }
}

extension SurveyLink {
    /// The look of windows; nil if the daemon does not answer, and then the theme applies.
    package var look: ShownLook? {
        (try? call(SurveyLook())).map { ShownLook($0.value) }
    }
}

package import HarkClient
package import HarkWire

/// The connection of a person who fills in a form. It can be reopened after the daemon went away.
package final class FormLink {
    private let line: Line
    private let formId: String
    private let owner: FormOwner

    /// The timeout for a person at a screen, in seconds.
    private static let patience = 10.0

    package init(_ formId: String, of owner: FormOwner) throws(ClientError) {
        self.formId = formId
        self.owner = owner
        line = try Line(patience: Self.patience)
    }

    package var isAway: Bool { line.isAway }
    /// A descriptor that becomes readable on incoming data; -1 while the daemon is away.
    package var descriptor: CInt { line.descriptor }

    package func reconnect() throws(ClientError) { try line.reconnect() }

    /// Checks that the daemon is still there; it sends no notifications here.
    package func listen() throws(ClientError) {
        while try line.heard() != nil {}
    }

    /// The look of windows; nil if the daemon does not answer, and then the theme applies.
    package var look: ShownLook? {
        (try? line.connection.call(SurveyLook())).map { ShownLook($0.value) }
    }

    /// Calls a method about the form, and returns the form's new state.
    ///
    /// - Parameter waits: Whether there is no timeout.
    package func call(_ request: some FormMethod, waits: Bool = false) throws(ClientError) -> FormReply {
        line.connection.patience = waits ? nil : Self.patience
        var request = request
        (request.formId, request.owner) = (formId, owner)
        guard let reply = FormReply(try line.call(request).value.form.json) else {
            throw ClientError(.malformedReply, "the daemon's reply has no form in it")
        }
        return reply
    }
}

package import HarkClient
package import HarkWire

/// The connection of a person who fills in a form. It can be reopened after the daemon went away.
package final class FormLink {
    private var connection: Connection
    private let formId: String
    private let owner: FormOwner
    package private(set) var isAway = false

    /// The timeout for a person at a screen, in seconds.
    private static let patience = 10.0

    package init(_ formId: String, of owner: FormOwner) throws(ClientError) {
        self.formId = formId
        self.owner = owner
        connection = try Connection()
    }

    /// A descriptor that becomes readable on incoming data; -1 while the daemon is away.
    package var descriptor: CInt { isAway ? -1 : connection.descriptor }

    package func reconnect() throws(ClientError) {
        connection = try Connection()
        isAway = false
    }

    /// Checks that the daemon is still there; it sends no notifications here.
    package func listen() throws(ClientError) {
        guard !isAway else { return }
        do {
            while try connection.nextNotification(within: 0) != nil {}
        } catch {
            if error.code == .disconnected { isAway = true }
            throw error
        }
    }

    /// How windows are to look; nil if the daemon does not answer, so that the theme holds.
    package var look: ShownLook? {
        connection.patience = Self.patience
        guard let reply = try? connection.call(.surveyLook, { _ in }) else { return nil }
        return ShownLook(LookInfo(reply))
    }

    /// Calls a method about the form, and returns the form's new state.
    ///
    /// - Parameter waits: Whether there is no timeout.
    package func call(
        _ method: MethodShape, waits: Bool = false, _ more: (inout JSONWriter) -> Void = { _ in }
    ) throws(ClientError) -> FormReply {
        connection.patience = waits ? nil : Self.patience
        let result: JSONText
        do {
            result = try connection.call(method) { params in
                params.member(.form, formId)
                owner.write(to: &params)
                more(&params)
            }
        } catch {
            if error.code == .disconnected { isAway = true }
            throw error
        }
        guard let reply = FormReply(FormResult(result).form.json) else {
            throw ClientError(.malformedReply, "the daemon's reply has no form in it")
        }
        return reply
    }
}

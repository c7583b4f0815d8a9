import HarkClient
import HarkWire

/// The connection of somebody who fills in a form, which can be made anew after the daemon went away.
final class FormLink {
    private var connection: Connection
    private let formId: String
    private let arguments: Arguments
    private(set) var isAway = false

    /// How long a person in front of a screen is kept waiting.
    private static let patience = 10.0

    init(_ formId: String, _ arguments: Arguments) throws {
        try arguments.atMostOne(of: .formUser, .formAnonymous)
        self.formId = formId
        self.arguments = arguments
        connection = try Connection()
    }

    /// -1 while the daemon is away.
    var descriptor: CInt { isAway ? -1 : connection.descriptor }

    func reconnect() throws(ClientError) {
        connection = try Connection()
        isAway = false
    }

    /// Makes sure that the daemon is still there; nothing is told here by itself.
    func listen() throws(ClientError) {
        guard !isAway else { return }
        do {
            while try connection.nextNotification(within: 0) != nil {}
        } catch {
            if error.code == .disconnected { isAway = true }
            throw error
        }
    }

    /// Calls a method about the form, and returns how the form stands then.
    ///
    /// - Parameter waits: for as long as it takes.
    func call(
        _ method: MethodShape, waits: Bool = false, _ more: (inout JSONWriter) -> Void = { _ in }
    ) throws(ClientError) -> FormReply {
        connection.patience = waits ? nil : Self.patience
        let result: JSONText
        do {
            result = try connection.call(method) { params in
                params.member(.form, formId)
                FormCall.write(arguments, to: &params)
                more(&params)
            }
        } catch {
            if error.code == .disconnected { isAway = true }
            throw error
        }
        guard let reply = result.member("form").flatMap({ FormReply($0) }) else {
            throw ClientError(.malformedReply, "the daemon's reply has no form in it")
        }
        return reply
    }
}

import HarkServer
import HarkWire

/// A section for each method.
extension ProtocolDocument {
    static var methods: String {
        let order = """
            How a method is answered: *in order*, once everything it stored is on disk; *at once*; or *when done*, and
            then replies to later requests may come before.


            """
        return order + MethodRegistry.all.map(section).joined(separator: "\n")
    }

    private static func section(_ method: Method) -> String {
        var parts = ["### \(method.name)\n", "\(method.summary) \(answer(method))\n"]
        if !method.details.isEmpty { parts.append(method.details + "\n") }
        if method.parameters.isEmpty {
            parts.append("It takes no parameters.\n")
        } else {
            parts.append(table(["parameter", "type", "meaning"], method.parameters.map(parameterRow)))
        }
        parts.append(table(["result", "type", "meaning"], method.result.map(row)))
        if !method.refusals.isEmpty {
            parts.append(table(["error", "when"], method.refusals.map { ["`\($0.reason.rawValue)`", $0.when] }))
        }
        parts += method.examples.map { example($0, of: method) }
        return parts.joined(separator: "\n")
    }

    private static func answer(_ method: Method) -> String {
        let answered =
            switch method.handler {
            case .write: "Answered in order."
            case .read: "Answered at once."
            case .lasting, .deferred: "Answered when done."
            }
        return method.isForAdministrators ? "\(answered) For administrators." : answered
    }

    private static func parameterRow(_ parameter: Shape.Member) -> [String] {
        let required = parameter.isOptional ? "" : "**required**; "
        let type = [parameter.type.title, parameter.type.bounds].compactMap(\.self).joined(separator: ", ")
        return ["`\(parameter.name)`", type, required + parameter.meaning]
    }

    private static func row(_ member: Shape.Member) -> [String] {
        [
            "`\(member.name)`", member.type.title,
            member.isOptional ? "(not always there) \(member.meaning)" : member.meaning,
        ]
    }

    private static func example(_ example: Method.Example, of method: Method) -> String {
        let before = example.before.flatMap { ["→ \($0)", "← …"] }
        let exchange = ["→ \(request(example.params, of: method))", "← \(reply(example.result))"]
        return code(before + exchange + example.notifications.map { "← \($0)" })
    }

    /// The request line of an example.
    static func request(_ params: String, of method: Method) -> String {
        #"{"id":1,"method":"\#(method.name)","params":\#(params)}"#
    }

    /// The reply line of an example.
    static func reply(_ result: String) -> String {
        #"{"jsonrpc":"2.0","id":1,"result":\#(result)}"#
    }
}

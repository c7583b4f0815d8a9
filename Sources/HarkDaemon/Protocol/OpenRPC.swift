import HarkServer
import HarkWire

/// The protocol as an OpenRPC document, generated from the registry of methods like `docs/protocol.md`.
enum OpenRPC {
    /// The version of the specification.
    static let version = "1.3.2"

    static let document: JSONObject = [
        "openrpc": .string(version),
        "info": [
            "title": "harkd", "version": .string(Version.current),
            "description": """
            JSON-RPC 2.0 over a Unix socket, one message a line; a reply to what was stored comes once it is on disk.
            """,
        ],
        "methods": .array(MethodRegistry.all.map(describe)),
        "components": ["schemas": schemas, "errors": errors],
    ]

    /// The content of the file.
    static var text: String { JSONValue.object(document).pretty() + "\n" }

    private static func describe(_ method: Method) -> JSONValue {
        var object: JSONObject = ["name": .string(method.name), "summary": .string(method.summary)]
        if !method.details.isEmpty { object["description"] = .string(method.details) }
        object["paramStructure"] = "by-name"
        let required = method.parameters.filter { !$0.isOptional }
        let others = method.parameters.filter(\.isOptional)
        // OpenRPC requires that required parameters come first.
        object["params"] = .array(
            (required + others).map { descriptor($0.name, $0.type, $0.meaning, isRequired: !$0.isOptional) })
        object["result"] = descriptor("result", result(of: method), "")
        if !method.refusals.isEmpty { object["errors"] = .array(refusals(of: method)) }
        object["examples"] = .array(method.examples.enumerated().map { example($1, $0 + 1) })
        if method.isForAdministrators { object["x-administrators"] = true }
        if !method.notifications.isEmpty {
            object["x-notifications"] = .array(method.notifications.map(describe) + [closed])
        }
        return .object(object)
    }

    /// The shape of a result, including the members that any result may have.
    static func result(of method: Method) -> Shape {
        let warnings = Shape.Member.maybe("warnings", .strings, "members of the request that nobody reads")
        return .members(method.result + [warnings])
    }

    private static func descriptor(
        _ name: String, _ type: Shape, _ meaning: String, isRequired: Bool = true
    ) -> JSONValue {
        var object: JSONObject = ["name": .string(name)]
        if !meaning.isEmpty { object["description"] = .string(meaning) }
        object["required"] = .bool(isRequired)
        // Null means the same as absence.
        object["schema"] = isRequired ? type.schema : type.orNullOnce.schema
        return .object(object)
    }

    /// The members of a notification, including those of all notifications.
    static func params(of notification: NotificationShape) -> [Shape.Member] {
        [.always("subscription", .subscription)] + notification.params
    }

    private static func describe(_ notification: NotificationShape) -> JSONValue {
        let params = params(of: notification)
        return [
            "name": .string(notification.name), "summary": .string(notification.meaning), "paramStructure": "by-name",
            "params": .array(params.map { descriptor($0.name, $0.type, $0.meaning, isRequired: !$0.isOptional) }),
        ]
    }

    private static let closed = describe(.subscriptionClosed)

    /// Each error code once, with all its conditions.
    private static func refusals(of method: Method) -> [JSONValue] {
        ErrorReason.allCases.filter { reason in method.refusals.contains { $0.reason == reason } }.map { reason in
            error(reason, method.refusals.filter { $0.reason == reason }.map(\.when).joined(separator: "; or: "))
        }
    }

    private static func error(_ reason: ErrorReason, _ when: String) -> JSONValue {
        ["code": .int(Int64(reason.code)), "message": .string(when), "data": ["reason": .string(reason.rawValue)]]
    }

    /// The errors of all methods.
    private static let errors = JSONValue.object(
        JSONObject(
            ErrorReason.allCases.compactMap { reason in
                reason.help.map { (reason.rawValue, error(reason, $0.when)) }
            }))

    private static func example(_ example: Method.Example, _ number: Int) -> JSONValue {
        let params = value(example.params).objectValue ?? JSONObject()
        return [
            "name": .string("example \(number)"),
            "params": .array(params.map { ["name": .string($0.key), "value": $0.value] }),
            "result": ["name": "result", "value": value(example.result)],
        ]
    }

    /// Parses an example's text; the tests check that each is valid.
    private static func value(_ text: String) -> JSONValue {
        (try? JSONDocument(Array(text.utf8), .json))?.value ?? .null
    }

    private static let schemas: JSONValue = {
        var found: [(name: String, shape: Shape)] = []
        for method in MethodRegistry.all {
            for parameter in method.parameters { parameter.type.collect(into: &found) }
            for member in method.result { member.type.collect(into: &found) }
            for member in method.notifications.flatMap(\.params) { member.type.collect(into: &found) }
        }
        return .object(JSONObject(found.sorted { $0.name < $1.name }.map { ($0.name, $0.shape.schema) }))
    }()
}

extension Shape {
    /// The shape with null, unless it allows null already.
    fileprivate var orNullOnce: Shape {
        switch self {
        case .any, .orNull: self
        default: .orNull(self)
        }
    }
}

extension JSONValue {
    /// The JSON text over several lines, for people.
    fileprivate func pretty(indent: Int = 0) -> String {
        let inner = String(repeating: " ", count: indent + 2)
        let outer = String(repeating: " ", count: indent)
        switch self {
        case .object(let object) where !object.isEmpty:
            let members = object.map { "\(inner)\(JSONValue.string($0.key)): \($0.value.pretty(indent: indent + 2))" }
            return "{\n\(members.joined(separator: ",\n"))\n\(outer)}"
        case .array(let elements) where elements.contains { $0.objectValue != nil || $0.arrayValue != nil }:
            let lines = elements.map { inner + $0.pretty(indent: indent + 2) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(outer)]"
        default: return description
        }
    }
}

import HarkWire
import Testing

@testable import HarkDaemon

/// Parameters are what the registry says they are.
///
/// That no handler reads one that is not declared is asserted in `Params`, for all tests at once.
@Suite struct ParameterTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let method: Method
        let parameter: Method.Parameter
        var testDescription: String { "\(method.name), \(parameter.name)" }

        static let all = MethodRegistry.all.flatMap { method in
            method.parameters.map { Case(method: method, parameter: $0) }
        }
    }

    /// A value that no parameter of the type takes.
    private static func misfit(_ type: ParameterType) -> JSONValue {
        switch type {
        case .integer, .bool, .object, .strings, .value: "text"
        case .string, .id, .time, .stringOrNull: [:]
        case .stringOrObject: 5
        }
    }

    private static func params(_ method: Method) throws -> JSONObject {
        let text = try #require(method.examples.first).params
        return try #require(try read(#"{"method":"x","params":\#(text)}"#).params?.objectValue)
    }

    @Test("a value of the wrong type is refused, and the path names the parameter", arguments: Case.all)
    func wrongType(_ parameter: Case) async throws {
        try await DaemonFixture.run { fixture in
            var params = try Self.params(parameter.method)
            params[parameter.parameter.name] = Self.misfit(parameter.parameter.type)
            let reply = try await fixture.connect().ask(parameter.method.name, JSONValue.object(params).description)
            #expect(reply["error"]?["data"]?["reason"] == "invalidParams", "\(reply)")
            #expect(reply["error"]?["data"]?["path"] == .string("$.params.\(parameter.parameter.name)"), "\(reply)")
        }
    }

    @Test(
        "a required parameter that is missing, or null, is asked for by name",
        arguments: Case.all.filter(\.parameter.isRequired), [nil, JSONValue.null])
    func missing(_ parameter: Case, _ value: JSONValue?) async throws {
        try await DaemonFixture.run { fixture in
            var params = try Self.params(parameter.method)
            params[parameter.parameter.name] = value
            let reply = try await fixture.connect().ask(parameter.method.name, JSONValue.object(params).description)
            #expect(reply["error"]?["data"]?["reason"] == "invalidParams", "\(reply)")
            #expect(reply["error"]?["data"]?["path"] == .string("$.params.\(parameter.parameter.name)"), "\(reply)")
        }
    }

    @Test("a parameter that is null counts as left out", arguments: Case.all.filter { !$0.parameter.isRequired })
    func null(_ parameter: Case) async throws {
        // Where null is a value: everybody anonymous, and the one way to say so among three.
        guard parameter.parameter.type != .stringOrNull else { return }
        try await DaemonFixture.run(examplesOf: parameter.method) { fixture in
            var params = try Self.params(parameter.method)
            guard params[parameter.parameter.name] == nil else { return }
            params[parameter.parameter.name] = .null
            let client = try fixture.connect()
            try await client.prepare(parameter.method.examples[0].before)
            let text = try await client.addressed(JSONValue.object(params).description)
            let reply = try await client.ask(parameter.method.name, text)
            #expect(reply["result"] != nil, "\(reply)")
            #expect(reply["result"]?["warnings"] == nil, "\(reply)")
        }
    }

    @Test("a member nobody reads is warned of, in params and beside them", arguments: MethodRegistry.all)
    func unknown(_ method: Method) async throws {
        try await DaemonFixture.run(examplesOf: method) { fixture in
            var params = try Self.params(method)
            params["colour"] = "red"
            let client = try fixture.connect()
            try await client.prepare(method.examples[0].before)
            let text = try await client.addressed(JSONValue.object(params).description)
            try client.send(#"{"id":1,"method":"\#(method.name)","params":\#(text),"shape":"round"}"# + "\n")
            let reply = try await client.reply()
            #expect(
                reply["result"]?["warnings"] == ["unknown member 'shape'", "unknown member 'colour'"]
                    || reply["result"]?["warnings"] == ["unknown member 'colour'", "unknown member 'shape'"], "\(reply)"
            )
        }
    }
}

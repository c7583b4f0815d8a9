import HarkSystem
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkServer

/// Parameters behave as declared.
///
/// That no handler reads one that is not declared is asserted in `Params`, for all tests at once.
@Suite struct ParameterTests {
    private static func params(_ method: Method) throws -> JSONObject {
        let text = try #require(method.examples.first).params
        return try #require(try read(#"{"method":"x","params":\#(text)}"#).params?.objectValue)
    }

    /// A value that no parameter of the type takes; nil when it takes all.
    private static func misfit(_ type: Shape) -> JSONValue? {
        let values: [JSONValue] = ["text", [:], 5]
        return values.first { !type.faults(in: $0).isEmpty }
    }

    /// Sends a method's example with one parameter put in or taken out, and expects to be told of that parameter.
    @DaemonActor
    private static func expectRefusal(
        _ method: Method, _ parameter: Shape.Member, _ value: JSONValue?, _ client: FixtureClient
    ) async throws {
        var params = try params(method)
        params[parameter.name] = value
        let error = try await client.ask(method.name, JSONValue.object(params).description)["error"]
        #expect(error?["data"]?["reason"] == "invalidParams", "\(method.name) \(JSONValue.object(params))")
        #expect(error?["data"]?["path"] == .string("$.params.\(parameter.name)"), "\(method.name) \(parameter.name)")
    }

    @Test("a value of the wrong type is refused, and the path names the parameter")
    func wrongType() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            for method in MethodRegistry.all {
                for parameter in method.parameters {
                    guard let misfit = Self.misfit(parameter.type) else { continue }
                    try await Self.expectRefusal(method, parameter, misfit, client)
                }
            }
        }
    }

    @Test("a required parameter that is missing, or null, is asked for by name")
    func missing() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            for method in MethodRegistry.all {
                for parameter in method.parameters where !parameter.isOptional {
                    try await Self.expectRefusal(method, parameter, nil, client)
                    // Where any value is allowed, null is one.
                    if parameter.type == .any { continue }
                    try await Self.expectRefusal(method, parameter, .null, client)
                }
            }
        }
    }

    @Test("parameters that are null count as left out", arguments: MethodRegistry.all)
    func null(_ method: Method) async throws {
        try await DaemonFixture.run(examplesOf: method) { fixture in
            var params = try Self.params(method)
            // For some parameters null is a value of its own: everybody anonymous.
            for parameter in method.parameters where parameter.type != .orNull(.string) && params[parameter.name] == nil
            {
                params[parameter.name] = .null
            }
            let client = try fixture.connect()
            try await client.prepare(method.examples[0].before)
            let text = try await client.addressed(JSONValue.object(params).description)
            let reply = try await client.ask(method.name, text)
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
            let warnings = try await client.reply()["result"]?["warnings"]?.arrayValue?.compactMap(\.stringValue)
            #expect(warnings?.sorted() == ["unknown member 'colour'", "unknown member 'shape'"])
        }
    }

    @Test("event.record takes the names that are declared for it, in place, and no others")
    func namesOfTheLane() async throws {
        let declared = EventRecord.members.map(\.name)
        let others = Set(MethodRegistry.all.flatMap { $0.parameters.map(\.name) }).subtracting(declared)
        let alike = declared.flatMap { [$0 + "s", String($0.dropLast()), $0.uppercased()] }
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            for name in others.union(alike) {
                let reply = try await client.call("event.record", #"{"name":"x","\#(name)":1}"#)
                #expect(reply["warnings"] == [.string("unknown member '\(name)'")])
            }
            let reply = try await client.call(
                "event.record",
                """
                {"name":"sold","properties":{"cups":3},"app":"till","userId":"ada","timestamp":"2026-11-20T18:30:00.000Z",\
                "producer":{"id":"till-1","seq":7,"sequence":8}}
                """)
            #expect(reply["warnings"] == ["unknown member 'sequence'"])
            #expect(reply["duplicate"] == false)
            let event = try await client.call("event.list", #"{"app":"till"}"#)["events"]?.arrayValue?.first
            #expect(event?["name"] == "sold")
            #expect(event?["properties"] == ["cups": 3])
            #expect(event?["userId"] == "ada")
            #expect(event?["timestamp"] == "2026-11-20T18:30:00.000Z")
        }
    }

    @Test("null for a required parameter is refused as leaving it out is, with the same words")
    func null() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            for method in MethodRegistry.all {
                for parameter in method.parameters where !parameter.isOptional && parameter.type != .any {
                    var params = try Self.params(method)
                    params[parameter.name] = nil
                    let missing = try await client.ask(method.name, JSONValue.object(params).description)["error"]
                    params[parameter.name] = .null
                    let null = try await client.ask(method.name, JSONValue.object(params).description)["error"]
                    #expect(missing != nil && null == missing, "\(method.name) \(parameter.name)")
                }
            }
        }
    }

    @Test("null is a value where it means something, and else the same as nothing")
    func nullsThatCount() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            let counter = try await client.call("counter.register", #"{"name":"plan","initial":null}"#)["counter"]
            #expect(counter?["initial"] == .null)
            let other = try await client.call("counter.register", #"{"name":"opens","run":null}"#)["counter"]
            #expect(other?["initial"] == 0)
            try await client.call("counter.set", #"{"name":"plan","value":"pro"}"#)
            #expect(try await client.call("counter.set", #"{"name":"plan","value":null}"#)["value"] == .null)
            try await client.call("debug.set", #"{"preset":"debug"}"#)
            let debug = try await client.call(
                "debug.set", #"{"bypassGating":null,"scheduleDelaySeconds":null,"attemptCooldownSeconds":2.5}"#)[
                    "debug"]
            #expect(debug?["bypassGating"] == true && debug?["scheduleDelaySeconds"] == .null)
            #expect(debug?["attemptCooldownSeconds"] == 2.5)
            #expect(try await client.call("debug.set", "{}")["debug"] == debug)
        }
    }

    @Test("whole numbers may be written with a point, in parameters as in the settings")
    func wholeNumbers() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            #expect(try await client.call("event.list", #"{"limit":1e1,"afterSeq":0.0}"#)["events"] == [])
            let error = try await client.ask("event.list", #"{"limit":1.5}"#)["error"]
            #expect(error?["message"] == "'limit' must be an integer from 1 to 10000")
        }
    }

    @Test("a misspelt limit of retention.apply is refused, and nothing is removed by the others")
    func misspeltLimit() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            let error = try await client.ask("retention.apply", #"{"policy":{"maxAgeDay":1}}"#)["error"]
            #expect(error?["data"]?["path"] == "$.params.policy.maxAgeDay")
            #expect(error?["message"]?.stringValue?.hasSuffix("did you mean 'maxAgeDays'?") == true)
        }
    }

    @Test("the settings in force are those that debug.set has left")
    func debugInForce() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            let debug = try await client.call("debug.set", #"{"preset":"debug"}"#)["debug"]
            #expect(debug?["bypassGating"] == true)
            #expect(try await client.call("config.get")["config"]?["debug"] == debug)
            try await client.call("daemon.reload")
            #expect(try await client.call("config.get")["config"]?["debug"]?["bypassGating"] == false)
        }
    }
}

import HarkClient
import Testing

@testable import HarkTool

@Suite struct RecordLineTests {
    /// Options by their names, and their values.
    private func form(_ given: [String: String]) throws -> RecordLine {
        var arguments = Arguments()
        for option in Command.record.options {
            if let value = given[option.name] { try arguments.set(option, value) }
        }
        return RecordLine(arguments)
    }

    @Test(
        "a line becomes the params of a request",
        arguments: [
            ([:], #"{"name":"a"}"#, #"{"name":"a"}"#), ([:], "  {\"name\":\"a\"}\r", #"{"name":"a"}"#),
            (["app": "k"], #"{"name":"a"}"#, #"{"name":"a","app":"k"}"#), (["app": "k"], "{ }", #"{ "app":"k"}"#),
            (["name": "x"], #"{"cpu":3}"#, #"{"properties":{"cpu":3},"name":"x"}"#),
            (["name": "x", "user": "ada"], "{}", #"{"properties":{},"userId":"ada","name":"x"}"#),
            (["bare": ""], " door \"2\" ", #"{"name":"door \"2\""}"#),
            (["bare": "", "app": "k"], "x", #"{"name":"x","app":"k"}"#),
            (
                ["flatten": ""],
                #"{"name":"a","properties":{"a":{"b":1,"c":{"d":"x"}},"l":[true,{"e":null}],"n":null,"o":{}}}"#,
                #"{"name":"a","properties":{"a.b":1,"a.c.d":"x","l.0":true}}"#
            ),
            (
                ["flatten": "", "name": "log"], #"{"MESSAGE":[27,91,49,109,104,195,164],"_PID":["1","2"],"a":[65,66]}"#,
                #"{"name":"log","properties":{"MESSAGE":"\u001b[1mhä","_PID.0":"1","_PID.1":"2","a.0":65,"a.1":66}}"#
            ),
            (
                ["flatten": "", "name-from": "type", "time-from": "at", "app": "k"],
                #"{"type":"Push","actor":{"id":7},"at":1795259280123}"#,
                #"{"name":"Push","properties":{"actor.id":7},"timestamp":"2026-11-21T11:08:00.123Z","app":"k"}"#
            ),
        ] as [([String: String], String, String)])
    func makes(given: [String: String], line: String, expected: String) throws {
        var params: [UInt8] = []
        #expect(try form(given).append(ArraySlice(line.utf8), to: &params) == .event)
        #expect(String(decoding: params, as: UTF8.self) == expected)
    }

    @Test(
        "a line is numbered, unless it names its producer itself",
        arguments: [
            (#"{"name":"a"}"#, #"{"name":"a","producer":{"id":"p","seq":7}}"#),
            ("{\"name\":\"a\"}  ", #"{"name":"a","producer":{"id":"p","seq":7}}"#),
            ("{ }", #"{ "producer":{"id":"p","seq":7}}"#),
            (
                #"{"name":"producer","properties":{"producer":1}}"#,
                #"{"name":"producer","properties":{"producer":1},"producer":{"id":"p","seq":7}}"#
            ),
            (
                #"{"producer":{"id":"till","seq":3},"name":"a"}"#, #"{"producer":{"id":"till","seq":3},"name":"a"}"#
            ),
        ])
    func numbered(line: String, expected: String) {
        var params = Array(line.utf8)
        RecordLine.number(&params, producer: OwnProducer("p"), 7)
        #expect(String(decoding: params, as: UTF8.self) == expected)
    }

    @Test("a line without anything is no event", arguments: ["", "  ", "\r"])
    func empty(line: String) throws {
        var params: [UInt8] = []
        #expect(try form([:]).append(ArraySlice(line.utf8), to: &params) == .empty)
        #expect(params.isEmpty)
    }

    @Test(
        "a line that cannot be an event is refused before it is sent",
        arguments: [
            ([:], "door.opened", "--bare"), ([:], "[1]", "not a JSON object"),
            ([:], #"{"name":"a"},"method":"event.clear","params":{"all":true}"#, "more follows"),
            ([:], #"{"name":"a""#, "does not end"), (["name": "x"], "5", "object of properties"),
            (["app": "k"], #"{"name":"a","app":"b"}"#, "'app'"),
            (["flatten": "", "name-from": "type"], #"{"a":1}"#, "'type'"),
            (["flatten": "", "name": "x", "time-from": "at"], #"{"at":"soon"}"#, "'at' must be a time"),
            (["bare": ""], "\u{FF}", nil),
        ] as [([String: String], String, String?)])
    func refuses(given: [String: String], line: String, why: String?) throws {
        var params: [UInt8] = []
        let bytes = why == nil ? [0xFF] : Array(line.utf8)
        guard case .wrong(let reason) = try form(given).append(ArraySlice(bytes), to: &params) else {
            Issue.record("it was taken: \(String(decoding: params, as: UTF8.self))")
            return
        }
        #expect(params.isEmpty)
        #expect(reason.contains(why ?? "UTF-8"))
    }
}

import Testing

/// A line that the daemon cannot use, and its answer.
struct BadLine: Sendable, CustomTestStringConvertible {
    let what: String
    let line: [UInt8]
    let reason: String
    /// The place of the fault; nil if there is none.
    var path: String?
    /// Something the message says.
    let hint: String
    /// The `id` in the reply.
    var id: Int64? = 7

    var testDescription: String { what }

    init(_ what: String, _ line: String, _ reason: String, path: String? = nil, _ hint: String, id: Int64? = 7) {
        self.init(what, Array(line.utf8), reason, path: path, hint, id: id)
    }

    init(_ what: String, _ line: [UInt8], _ reason: String, path: String? = nil, _ hint: String, id: Int64? = 7) {
        self.what = what
        self.line = line
        self.reason = reason
        self.path = path
        self.hint = hint
        self.id = id
    }

    /// A request whose params are at fault.
    static func params(
        _ what: String, _ method: String, _ params: String, _ path: String?, _ hint: String,
        reason: String = "invalidParams"
    ) -> BadLine {
        BadLine(what, #"{"id":7,"method":"\#(method)","params":\#(params)}"#, reason, path: path, hint)
    }

    private static let mebibyte = 1 << 20
    private static let tooDeep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)

    static let lines: [BadLine] = [
        // Not JSON.
        .init("half a line", #"{"id":7,"method":"#, "parseError", "value is expected"),
        .init("words", "hello", "parseError", "expected a value", id: nil),
        .init("two objects in one line", #"{"id":7,"method":"hello"}{"id":8}"#, "parseError", "follows"),
        .init("white space alone", " \t ", "parseError", "empty", id: nil),
        .init("single quotes", "{'id':7}", "parseError", "quotes", id: nil),
        .init("a comma too many", #"{"id":7,"method":"hello",}"#, "parseError", "member's name"),
        .init(
            "invalid UTF-8", Array(#"{"id":7,"method":"a"#.utf8) + [0xff, 0xc0] + Array("\"}".utf8),
            "parseError", "send text as UTF-8", id: nil),
        .init("half a surrogate pair", #"{"id":7,"method":"\ud800"}"#, "parseError", "surrogate"),
        .init("a NUL byte", Array(#"{"id":7,"method":"a"#.utf8) + [0] + Array("\"}".utf8), "parseError", "escaped"),
        .init("NUL bytes alone", [0, 0, 0], "parseError", "expected a value", id: nil),
        // JSON, but no request.
        .init("an array", #"[{"id":7,"method":"hello"}]"#, "invalidRequest", path: "$", "several lines", id: nil),
        .init("a number", "42", "invalidRequest", path: "$", "is an object", id: nil),
        .init("no method", #"{"id":7}"#, "invalidRequest", path: "$.method", "needs a method"),
        .init("a method that is no string", #"{"id":7,"method":5}"#, "invalidRequest", path: "$.method", "string"),
        .init(
            "params that are no object", #"{"id":7,"method":"hello","params":[1]}"#, "invalidRequest",
            path: "$.params", "an object, or left out"),
        .init(
            "an id that is an object", #"{"id":{},"method":"hello"}"#, "invalidRequest", path: "$.id", "id must be",
            id: nil),
        .init(
            "JSON-RPC 1.0", #"{"jsonrpc":"1.0","id":7,"method":"hello"}"#, "invalidRequest", path: "$.jsonrpc",
            "\"2.0\""),
        .init(
            "a key twice", #"{"id":7,"method":"hello","method":"hello"}"#, "invalidRequest", path: "$.method",
            "once"),
        .init("two ids", #"{"id":7,"id":8,"method":"hello"}"#, "invalidRequest", path: "$.id", "once", id: nil),
        .params(
            "a property twice", "event.record", #"{"name":"a","properties":{"k":1,"j":2,"k":3}}"#,
            "$.params.properties.k", "once", reason: "invalidRequest"),
        .params(
            "a number beyond 64 bits", "event.record", #"{"name":"a","properties":{"k":9223372036854775808}}"#,
            "$.params.properties.k", "64 bits", reason: "invalidRequest"),
        .params(
            "a number below 64 bits", "event.record", #"{"name":"a","properties":{"k":-9223372036854775809}}"#,
            "$.params.properties.k", "64 bits", reason: "invalidRequest"),
        .params(
            "a number beyond any double", "event.record", #"{"name":"a","properties":{"k":1e999}}"#,
            "$.params.properties.k", "largest double", reason: "invalidRequest"),
        .init(
            "nesting 10,000 deep", #"{"id":7,"method":"hello","params":{"x":\#(tooDeep)}}"#, "tooLarge",
            path: "$.params.x" + String(repeating: "[0]", count: 30), "flatten"),
        .init(
            "nothing but brackets", String(repeating: "[", count: 100_000), "tooLarge",
            path: "$" + String(repeating: "[0]", count: 32), "flatten", id: nil),
        .init(
            "a line over the limit", Array(repeating: UInt8(ascii: "x"), count: mebibyte + 1), "tooLarge",
            "limits.lineBytes", id: nil),
        .init(
            "a key of 1 MiB", "{\"id\":7,\"\(String(repeating: "k", count: mebibyte))\":1}", "tooLarge",
            "limits.lineBytes", id: nil),
        .params(
            "a property's key of 900 KB", "event.record",
            #"{"name":"a","properties":{"\#(String(repeating: "k", count: 900_000))":1}}"#,
            "$.params.properties.\(String(repeating: "k", count: 60))…", "1024", reason: "tooLarge"),
        .params(
            "a long key twice", "event.record",
            #"{"name":"a","properties":{"\#(String(repeating: "k", count: 400_000))":1,"\#(String(repeating: "k", count: 400_000))":1}}"#,
            "$.params.properties.\(String(repeating: "k", count: 64))…", "once", reason: "invalidRequest"),
        // A request, but not one of ours.
        .init(
            "an unknown method", #"{"id":7,"method":"event.recrod"}"#, "methodNotFound", path: "$.method",
            "'event.record'"),
        .init(
            "a method of 900 KB", "{\"id\":7,\"method\":\"\(String(repeating: "m", count: 900_000))\"}",
            "methodNotFound", path: "$.method", "'hello' lists them"),
        .params("an event without a name", "event.record", "{}", "$.params.name", "is missing"),
        .params("a name that is a number", "event.record", #"{"name":5}"#, "$.params.name", "must be a string"),
        .params("an empty name", "event.record", #"{"name":""}"#, "$.params.name", "must not be empty"),
        .params(
            "a name of 257 bytes", "event.record", #"{"name":"\#(String(repeating: "n", count: 257))"}"#,
            "$.params.name", "at most 256 bytes", reason: "tooLarge"),
        .params(
            "properties that are a list", "event.record", #"{"name":"a","properties":[1]}"#,
            "$.params.properties", "object of names and values"),
        .params(
            "a nested property", "event.record", #"{"name":"a","properties":{"ok":1,"deep":{"x":1}}}"#,
            "$.params.properties.deep", "'deep'"),
        .params(
            "a property that is a list", "event.record", #"{"name":"a","properties":{"all":[1]}}"#,
            "$.params.properties.all", "'all'"),
        .params(
            "a time of a 30 February", "event.record", #"{"name":"a","timestamp":"2026-02-30 12:00:00+01:00"}"#,
            "$.params.timestamp", "no such day"),
        .params(
            "a time in a zone by a name", "event.record", #"{"name":"a","timestamp":"2026-11-21 12:00:00 XYZT"}"#,
            "$.params.timestamp", "write its offset"),
        .params(
            "an app that is a number", "event.record", #"{"name":"a","app":1}"#, "$.params.app",
            "must be a string"),
        .params(
            "an app of 129 bytes", "event.record", #"{"name":"a","app":"\#(String(repeating: "a", count: 129))"}"#,
            "$.params.app", "at most 128 bytes", reason: "tooLarge"),
        .params(
            "a user id of 1025 bytes", "session.start",
            #"{"app":"new","userId":"\#(String(repeating: "u", count: 1025))"}"#, "$.params.userId",
            "at most 1024 bytes", reason: "tooLarge"),
        .params(
            "nested metadata", "session.start", #"{"app":"new","metadata":{"plan":{"a":1}}}"#,
            "$.params.metadata.plan", "'plan'"),
        .params(
            "a session id that is none", "session.get", #"{"sessionId":"abc"}"#, "$.params.sessionId", "an id such"),
        .params(
            "a session nobody has", "session.get", #"{"sessionId":"0199e0f4-8c7a-7000-8000-000000000000"}"#,
            "$.params.sessionId", "session.list", reason: "notFound"),
        .params("no such app's session", "session.end", #"{"app":"none"}"#, nil, "start one", reason: "notFound"),
        .params("a time that is none", "event.list", #"{"since":"yesterday"}"#, "$.params.since", "a time such as"),
        .params("a limit of 0", "event.list", #"{"limit":0}"#, "$.params.limit", "from 1 to 10000"),
        .params("a limit that is a text", "event.list", #"{"limit":"5"}"#, "$.params.limit", "must be an integer"),
        .params("a limit with a fraction", "event.list", #"{"limit":1.5}"#, "$.params.limit", "must be an integer"),
        .params("a number before all numbers", "event.list", #"{"afterSeq":-1}"#, "$.params.afterSeq", "at least 0"),
        .params("an order of another kind", "event.list", #"{"order":"up"}"#, "$.params.order", "asc, desc"),
        .params("a cursor that is none", "session.list", #"{"after":"x"}"#, "$.params.after", "'next'"),
        .params(
            "a stream of something else", "event.subscribe", #"{"include":["cats"]}"#, "$.params.include",
            "\"sessions\""),
        .params(
            "a subscription nobody has", "subscription.cancel", #"{"subscription":9}"#, "$.params.subscription",
            "no subscription", reason: "notFound"),
        .params("a clear of nothing", "event.clear", "{}", "$.params", "exactly one"),
        .params("a clear of two things", "event.clear", #"{"all":true,"userId":null}"#, "$.params", "exactly one"),
        .params("a policy that is none", "retention.apply", #"{"policy":"forever"}"#, "$.params.policy", "standard"),
        .params(
            "a policy of no days", "retention.apply", #"{"policy":{"maxAgeDays":0}}"#,
            "$.params.policy.maxAgeDays", "above 0"),
        .params("a format that is none", "daemon.status", #"{"format":"xml"}"#, "$.params.format", "openmetrics"),
        .params(
            "an event of no session", "event.import",
            #"{"sessionId":"0199e0f4-8c7a-7000-8000-000000000000","event":{"id":"0199e0f4-8c7a-7000-8000-000000000001"}}"#,
            "$.params.sessionId", "session.import", reason: "notFound"),
        .params(
            "a session without a start", "session.import",
            #"{"session":{"id":"0199e0f4-8c7a-7000-8000-00000000abcd"}}"#, "$.params.session.startedAt",
            "is missing"),
    ]
}

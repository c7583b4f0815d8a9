import HarkCore
import HarkDelivery
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkSettings

/// `destinations` in `harkd.json`: valid values, and the errors for others (row L3).
@Suite struct DestinationSettingsTests {
    private static func destination(_ kind: String, _ settings: String) -> String {
        let place = kind == "sensorcore" ? #""host":"https://core.test""# : #""url":"https://server.test/in""#
        return #"{"name":"a","kind":"\#(kind)",\#(place)\#(settings.isEmpty ? "" : ",\(settings)")}"#
    }

    private func read(_ destinations: String) -> ReadSettings {
        ReadSettings(Array(#"{"destinations":[\#(destinations)]}"#.utf8))
    }

    @Test("L3, L9: without settings each kind has its defaults")
    func defaults() throws {
        for kind in DestinationSettings.Kind.servers where !kind.isSink {
            let settings = try #require(read(Self.destination(kind.rawValue, "")).configuration.destinations.first)
            #expect(settings.name == "a")
            #expect(settings.kind == kind)
            #expect(settings.isEnabled && settings.keepsFailedLogs && !settings.suspendsUntilRestart)
            #expect(settings.timeoutSeconds == 10)
            #expect(settings.backoff == Backoff(base: 1, cap: 300))
            #expect(settings.maxAttempts == 3)
            #expect(settings.maxDeadLetters == 1_000)
            #expect(settings.batchBytes == 1 << 20)
            #expect(settings.names.isEmpty && settings.level == nil && settings.headers.isEmpty)
            #expect(settings.apiKey == nil && settings.defaultUserId == nil)
            #expect(settings.unixSocket == nil && settings.authoritiesFile == nil)
            #expect(settings.method == "POST" && settings.format == .lines)
            let isCore = kind == .sensorcore
            #expect(settings.url == (isCore ? "https://core.test/api/logs" : "https://server.test/in"))
            #expect(settings.contents == (isCore ? [.log] : [.log, .event, .survey, .session]))
            #expect(settings.concurrency == (isCore ? 4 : 1))
            #expect(settings.batchEntries == (isCore ? 1 : 512))
            #expect(settings.maxPendingLogs == (isCore ? 500 : nil))
            #expect(settings.maxLogAgeSeconds == (isCore ? 86_400 : nil))
            #expect(settings.compression == (kind == .otlp ? .gzip : .none))
        }
    }

    @Test("databases get all there is, in one lane, and nothing of it is given up")
    func defaultsOfSinks() throws {
        let places = [
            #""kind":"postgresql","url":"postgresql://db/hark""#, #""kind":"clickhouse","url":"https://ch.test:8443""#,
            #""kind":"s3","url":"https://s3.test","bucket":"b""#,
        ]
        for place in places {
            let reader = read(#"{"name":"a",\#(place)}"#)
            #expect(reader.errors == [] && reader.warnings == [])
            let settings = try #require(reader.configuration.destinations.first)
            #expect(settings.lanes.map(\.name) == ["records"])
            #expect(settings.lanes.first?.filter.kinds.contains(.clear) == false)
            #expect(settings.maxAttempts == nil && settings.maxPendingLogs == nil && settings.maxLogAgeSeconds == nil)
            #expect(settings.timeoutSeconds == 30)
            #expect(settings.contents == [.log, .event, .survey, .session])
            #expect(!settings.sink.followsRemovals)
        }
    }

    struct Setting: Sendable, CustomTestStringConvertible {
        let kind: String
        let text: String
        let holds: @Sendable (DestinationSettings) -> Bool

        init(_ text: String, of kind: String = "http", _ holds: @escaping @Sendable (DestinationSettings) -> Bool) {
            (self.kind, self.text, self.holds) = (kind, text, holds)
        }

        var testDescription: String { "\(text) of \(kind)" }
    }

    static let rightOnes: [Setting] = [
        Setting(#""apiKeyFile":"core.key""#, of: "sensorcore") { $0.apiKey == .file("core.key") },
        Setting(#""apiKeyCredential":"core""#, of: "sensorcore") { $0.apiKey == .credential("core") },
        Setting(#""apiKeyEnv":"CORE_KEY""#) { $0.apiKey == .environment("CORE_KEY") },
        Setting(#""headers":{"X-Site":"lab 3"}"#) { $0.headers == [.init("X-Site", .text("lab 3"))] },
        Setting(#""headers":{"A":{"file":"f"},"B":{"credential":"c"},"C":{"env":"E"}}"#, of: "otlp") {
            $0.headers == [
                .init("A", .secret(.file("f"))), .init("B", .secret(.credential("c"))),
                .init("C", .secret(.environment("E"))),
            ]
        },
        Setting(#""enabled":false"#) { !$0.isEnabled },
        Setting(#""kinds":["log","event","survey","session","form","profile"]"#) {
            $0.contents == [.log, .event, .survey, .session, .form, .profile]
        },
        Setting(#""kinds":["form"]"#) { $0.contents == [.form] },
        Setting(#""names":["door_*","alarm"]"#) { $0.names == ["door_*", "alarm"] },
        Setting(#""names":[]"#) { $0.names.isEmpty },
        Setting(#""where":"amount > 50""#) { $0.condition?.condition == .value("amount", Matcher(.gt, .int(50))) },
        Setting(#""where":{"amount":{"op":"gt","value":50}}"#) {
            $0.condition?.condition == .value("amount", Matcher(.gt, .int(50)))
        },
        Setting(#""level":"info""#) { $0.level == .info }, Setting(#""level":"messages""#) { $0.level == .messages },
        Setting(#""level":"warning""#) { $0.level == .warning }, Setting(#""level":"error""#) { $0.level == .error },
        Setting(#""socket":"/run/s""#) { $0.unixSocket == "/run/s" },
        Setting(#""caFile":"own.pem""#) { $0.authoritiesFile == "own.pem" },
        Setting(#""timeoutSeconds":0.001"#) { $0.timeoutSeconds == 0.001 },
        Setting(#""timeoutSeconds":3600"#) { $0.timeoutSeconds == 3_600 },
        Setting(#""retryBaseSeconds":0.01,"retryCapSeconds":86400"#) { $0.backoff == Backoff(base: 0.01, cap: 86_400) },
        Setting(#""concurrency":1"#) { $0.concurrency == 1 }, Setting(#""concurrency":64"#) { $0.concurrency == 64 },
        Setting(#""batchEntries":1"#) { $0.batchEntries == 1 },
        Setting(#""batchEntries":10000"#) { $0.batchEntries == 10_000 },
        Setting(#""batchEntries":1"#, of: "sensorcore") { $0.batchEntries == 1 },
        Setting(#""batchBytes":1024"#) { $0.batchBytes == 1_024 },
        Setting(#""batchBytes":16777216"#) { $0.batchBytes == 16 << 20 },
        Setting(#""maxAttempts":1"#) { $0.maxAttempts == 1 },
        Setting(#""maxAttempts":1000"#) { $0.maxAttempts == 1_000 },
        Setting(#""maxAttempts":null"#) { $0.maxAttempts == nil },
        Setting(#""persistFailedLogs":false"#) { !$0.keepsFailedLogs },
        Setting(#""maxPendingLogs":0"#) { $0.maxPendingLogs == 0 },
        Setting(#""maxPendingLogs":100000000"#) { $0.maxPendingLogs == 100_000_000 },
        Setting(#""maxPendingLogs":null"#, of: "sensorcore") { $0.maxPendingLogs == nil },
        Setting(#""pendingLogMaxAge":1"#) { $0.maxLogAgeSeconds == 1 },
        Setting(#""pendingLogMaxAge":3153600000"#) { $0.maxLogAgeSeconds == 3_153_600_000 },
        Setting(#""pendingLogMaxAge":null"#, of: "sensorcore") { $0.maxLogAgeSeconds == nil },
        Setting(#""maxDeadLetters":0"#) { $0.maxDeadLetters == 0 },
        Setting(#""maxDeadLetters":1000000"#) { $0.maxDeadLetters == 1_000_000 },
        Setting(#""suspendUntilRestart":true"#) { $0.suspendsUntilRestart },
        Setting(#""defaultUserId":"kiosk-7""#) { $0.defaultUserId == "kiosk-7" },
        Setting(#""compression":"gzip""#) { $0.compression == .gzip },
        Setting(#""compression":"none""#, of: "otlp") { $0.compression == .none },
        Setting(#""format":"array","method":"PUT""#) { $0.format == .array && $0.method == "PUT" },
        Setting(#""format":"lines","method":"POST""#) { $0.format == .lines && $0.method == "POST" },
        Setting(#""preset":"slack""#) {
            $0.template?.document == ["text": "{summary}"] && $0.contents == [.event] && $0.batchEntries == 1
                && $0.method == "POST"
        },
        Setting(#""preset":"matrix","kinds":["log"]"#) { $0.method == "PUT" && $0.contents == [.log] },
        Setting(#""preset":"matrix","template":"{event.name}","method":"POST""#) {
            $0.template?.document == ["msgtype": "m.text", "body": "{event.name}"] && $0.method == "POST"
        },
        Setting(#""preset":"slack","template":{"text":"{{}} {event.properties.a.b}","n":[1,null]}"#) {
            $0.template?.document == ["text": "{{}} {event.properties.a.b}", "n": [1, nil]]
        },
        Setting(#""template":"{log.message}","kinds":["log"],"batchEntries":1"#) { $0.template != nil },
    ]

    @Test("L3: a setting is taken as it is written", arguments: rightOnes)
    func accepted(_ setting: Setting) throws {
        let reader = read(Self.destination(setting.kind, setting.text))
        #expect(reader.errors == [] && reader.warnings == [])
        #expect(setting.holds(try #require(reader.configuration.destinations.first)))
    }

    private static let seconds = "must be a number of seconds, more than 0 and at most "
    private static let header = "must be a string, or {\"file\": …}, {\"credential\": …} or {\"env\": …}"

    /// Member, value, and the words of the error.
    static let wrongOnes: [(String, [String], String)] = [
        ("apiKeyFile", ["1", "null"], "must be a string"), ("apiKeyCredential", ["[]"], "must be a string"),
        ("apiKeyEnv", ["true"], "must be a string"),
        (
            "apiKey", [#""sc_123""#],
            "a key does not belong here; put it into a file and name that with apiKeyFile (or apiKeyCredential, "
                + "apiKeyEnv)"
        ),
        ("headers", ["[]", #""X""#], "must be an object of header names and values"),
        ("enabled", ["1", #""yes""#, "null"], "must be true or false"),
        (
            "kinds", [#""log""#, "[]", #"["log","survey_response"]"#, "[1]"],
            "must be an array of some of log, event, survey, session, form, profile"
        ),
        (
            "names", [#""door_*""#, "[1]", "null"],
            "must be an array of event names, in which * stands for any characters"
        ),
        ("where", ["7", "null", "[]"], "must be an object"),
        ("where", [#""amount > ""#], "the condition goes wrong at its end: expected a value after '>'"),
        (
            "where", [#""@usr = ada""#],
            "no event has '@usr'; did you mean '@user'? A property whose name begins with @ is written '@@usr'"
        ),
        ("level", [#""fatal""#], "must be one of info, warning, error, messages"),
        ("level", ["1"], "must be one of info, warning, error, messages"),
        ("socket", ["7"], "must be a string"), ("caFile", ["false"], "must be a string"),
        ("timeoutSeconds", ["0", "-1", "3600.5", #""10""#, "null"], seconds + "3600"),
        ("retryBaseSeconds", ["0", "86401", "[]"], seconds + "86400"),
        ("retryCapSeconds", ["0", "86401", "true"], seconds + "86400"),
        ("concurrency", ["0", "65", "1.5", "null"], "must be an integer from 1 to 64"),
        ("batchEntries", ["0", "10001"], "must be an integer from 1 to 10000"),
        ("batchBytes", ["1023", "16777217"], "must be an integer from 1024 to 16777216"),
        ("maxAttempts", ["0", "1001", "-1"], "must be an integer from 1 to 1000, or null"),
        ("persistFailedLogs", ["0"], "must be true or false"),
        ("maxPendingLogs", ["-1", "100000001", #""many""#], "must be an integer from 0 to 100000000, or null"),
        ("pendingLogMaxAge", ["0", "3153600001", "0.5"], "must be an integer from 1 to 3153600000, or null"),
        ("maxDeadLetters", ["-1", "1000001", "null"], "must be an integer from 0 to 1000000"),
        ("suspendUntilRestart", [#""true""#], "must be true or false"), ("defaultUserId", ["7"], "must be a string"),
        ("compression", [#""zstd""#], "must be one of none, gzip"),
        ("format", [#""csv""#], "must be one of lines, array"),
        ("method", [#""GET""#, #""post""#], "must be one of POST, PUT"),
        ("preset", [#""teams""#], "must be one of slack, discord, matrix, ntfy"),
        ("template", ["7", "null"], "must be a text, or JSON with texts in it"),
        (
            "template", [#""{event.nmae}""#],
            "has the place {event.nmae}, which does not exist; did you mean {event.name}?"
        ),
        ("template", [#""{event.name""#], "has a { without a }; write {{ where a brace is meant"),
        ("template", [#""Hello""#, "{}"], "has no place to be filled, like {summary} or {event.name}"),
    ]

    @Test("L3: a wrong value is told with its place and what would be right", arguments: wrongOnes)
    func refused(_ name: String, _ values: [String], _ message: String) {
        for value in values {
            let reader = read(Self.destination("http", "\"\(name)\":\(value)"))
            #expect(Self.said(reader.errors) == ["$.destinations[0].\(name): \(message)"], "\(value)")
        }
    }

    @Test("L3: a wrong header is told with its name")
    func headers() {
        let fault = "cannot be a header: names are words, values are one line"
        for (member, name, message) in [
            (#""A b":"x""#, #"["A b"]"#, fault), (#""":"x""#, #"[""]"#, fault), (#""A":"x\ny""#, ".A", fault),
            (#""A":1"#, ".A", Self.header), (#""A":{}"#, ".A", Self.header), (#""A":{"path":"x"}"#, ".A", Self.header),
            (#""A":{"file":"x","env":"Y"}"#, ".A", Self.header), (#""A":{"file":1}"#, ".A.file", "must be a string"),
            (#""A b":{"file":"x"}"#, #"["A b"]"#, fault),
        ] {
            let reader = read(Self.destination("otlp", "\"headers\":{\(member)}"))
            #expect(Self.said(reader.errors) == ["$.destinations[0].headers\(name): \(message)"], "\(member)")
        }
    }

    /// Paths and messages, without the lines.
    private static func said(_ issues: [DocumentIssue]) -> [String] { issues.map { "\($0.path): \($0.message)" } }

    /// A destination, the place of its fault, and words of the error.
    static let faults: [(String, String, String)] = [
        ("7", "", "an object with a name, a kind and where it is"),
        (#"{"kind":"http","url":"http://x"}"#, "", "'name' is missing"),
        (#"{"name":"a","url":"http://x"}"#, "", "'kind' is missing"),
        (#"{"name":"a","kind":"http"}"#, "", "'url' is missing"),
        (#"{"name":"a","kind":"http","host":"http://x"}"#, "", "'url' is missing"),
        (#"{"name":"a","kind":"sensorcore","url":"http://x"}"#, "", "'host' is missing"),
        (#"{"name":7,"kind":"http","url":"http://x"}"#, ".name", "1 to 64 letters"),
        (#"{"name":"archive","kind":"http","url":"http://x"}"#, ".name", "not 'archive'"),
        (#"{"name":"","kind":"http","url":"http://x"}"#, ".name", "1 to 64 letters"),
        (#"{"name":"a/b","kind":"http","url":"http://x"}"#, ".name", "letters, digits, '-', '_' or '.'"),
        (#"{"name":"a","kind":"kafka","url":"http://x"}"#, ".kind", "must be one of sensorcore, otlp, http"),
        (#"{"name":"a","kind":"http","url":"ftp://x"}"#, ".url", "must begin with http:// or https://"),
        (#"{"name":"a","kind":"http","url":"http://x/a b"}"#, ".url", "percent-encode them"),
        (#"{"name":"a","kind":"sensorcore","host":"core.test"}"#, ".host", "must begin with http:// or https://"),
        (destination("sensorcore", #""batchEntries":2"#), ".batchEntries", "must be 1: SensorCore takes one"),
        (
            destination("http", #""template":{"text":"{host}","blocks":[{"text":"{properties}"}]}"#),
            ".template.blocks[0].text", "does not exist"
        ),
        (destination("http", #""preset":"slack","format":"array""#), ".format", "one record at a time"),
        (destination("http", #""preset":"slack","batchEntries":2"#), ".batchEntries", "must be 1"),
        (
            destination("http", #""template":"\#(String(repeating: "{host}", count: 101))""#), ".template",
            "at most 100 places"
        ),
        (
            destination("http", #""template":"{host}\#(String(repeating: "x", count: 16_400))""#), ".template",
            "at most 16384 bytes"
        ),
        (
            destination("http", #""apiKeyFile":"a","apiKeyEnv":"B""#), "",
            "give one of apiKeyFile, apiKeyCredential and apiKeyEnv"
        ),
    ]

    @Test("L3: a destination that is none is told with its place and what is wrong", arguments: faults)
    func fault(_ destination: String, _ place: String, _ words: String) {
        let reader = read(destination)
        #expect(reader.errors.map(\.path) == ["$.destinations[0]" + place])
        #expect(reader.errors.first?.message.contains(words) == true, "\(reader.errors)")
    }

    @Test("L3: each destination has a name of its own, and all faults are told at once")
    func several() {
        let twins = read("\(Self.destination("http", "")),\(Self.destination("otlp", ""))")
        #expect(Self.said(twins.errors) == ["$.destinations[1].name: is the name of another destination"])
        let two = read(
            Self.destination("http", #""level":"x","concurrency":0"#) + "," + Self.destination("otlp", #""kinds":[]"#))
        #expect(
            two.errors.map(\.path) == [
                "$.destinations[0].level", "$.destinations[0].concurrency", "$.destinations[1].name",
                "$.destinations[1].kinds",
            ])
        #expect(ReadSettings(Array(#"{"destinations":{}}"#.utf8)).errors.map(\.path) == ["$.destinations"])
    }

    @Test("what only another kind has is a setting that does not exist")
    func unknown() {
        for (kind, setting) in [
            ("sensorcore", #""headers":{}"#), ("otlp", #""format":"lines""#), ("otlp", #""method":"PUT""#),
            ("sensorcore", #""url":"http://x""#), ("http", #""host":"http://x""#), ("http", #""retries":3"#),
        ] {
            let reader = read(Self.destination(kind, setting))
            let name = setting.split(separator: "\"")[0]
            #expect(reader.errors == [])
            #expect(
                Self.said(reader.warnings)
                    == ["$.destinations[0].\(name): there is no setting '\(name)'; it is ignored"])
        }
    }

    @Test("L9: what a destination wants lies in lanes: answers, events, and log entries with their limits")
    func lanes() throws {
        func lanes(_ settings: String) throws -> [Lane] {
            try #require(read(Self.destination("http", settings)).configuration.destinations.first).lanes
        }
        #expect(try lanes("").map(\.name) == ["answers", "events", "logs"])
        #expect(try lanes(#""kinds":["log"]"#).map(\.name) == ["logs"])
        for kind in ["survey", "form", "profile"] {
            #expect(try lanes(#""kinds":["\#(kind)"]"#).map(\.name) == ["answers"])
        }
        for kind in ["event", "session"] {
            #expect(try lanes(#""kinds":["\#(kind)"]"#).map(\.name) == ["events"])
        }
        // Answers of forms and profiles go nowhere unless they are named.
        #expect(try lanes("").allSatisfy { $0.filter.kinds.isDisjoint(with: [.form, .profile]) })
        let limits = #""persistFailedLogs":false,"maxPendingLogs":7,"pendingLogMaxAge":60,"level":"warning""#
        for lane in try lanes(limits) {
            let isLogs = lane.name == "logs"
            #expect(lane.keepsFailed == !isLogs)
            #expect(lane.maxPending == (isLogs ? 7 : nil))
            #expect(lane.maxAge == (isLogs ? 60 : nil))
            #expect((lane.filter.leastGravity > 0) == isLogs)
        }
    }

    @Test("the condition of a destination holds for its lanes of events, and is shown as JSON")
    func condition() throws {
        let settings = try #require(
            read(Self.destination("http", #""where":"amount > 50""#)).configuration.destinations.first)
        #expect(settings.lanes.map { $0.filter.condition == settings.condition } == [true, true, true])
        var json = JSONWriter()
        settings.write(to: &json)
        #expect(String(decoding: json.bytes, as: UTF8.self).contains(#""where":{"amount":{"op":"gt","value":50}}"#))
    }

    @Test("whoever knows the address of a chat may write to it, so it is shown nowhere")
    func address() throws {
        for (more, isShown) in [("", true), (#""preset":"slack""#, false), (#""template":"{host}""#, false)] {
            let settings = try #require(read(Self.destination("http", more)).configuration.destinations.first)
            var json = JSONWriter()
            settings.write(to: &json)
            let text = String(decoding: json.bytes, as: UTF8.self)
            #expect(text.contains(#""url":"https://server.test/in""#) == isShown)
            #expect(text.contains(#""url":"https://server.test/…""#) != isShown)
            #expect(text.contains(#""format""#) == isShown)
        }
    }

    @Test("a condition where no events are delivered is pointed out")
    func vainCondition() {
        for (kind, more, isVain) in [
            ("sensorcore", "", true), ("http", "", false), ("http", #","kinds":["form","session"]"#, true),
            ("sensorcore", #","kinds":["survey"]"#, false),
        ] {
            let reader = read(Self.destination(kind, #""where":"a = 1""# + more))
            #expect(reader.errors == [])
            #expect(reader.warnings.map(\.path) == (isVain ? ["$.destinations[0].where"] : []), "\(kind)\(more)")
        }
    }

    @Test("a condition that what every event has never fulfils is pointed out")
    func kinds() {
        for (condition, isVain) in [
            ("@user > 5", true), ("@seq = abc", true), ("@uid contains x", true), ("@app = 1", true),
            ("@user = ada", false),
            ("@seq > 5", false), ("user > 5", false), ("not @user = 5", false), ("@user = 5 or @user = ada", false),
        ] {
            let reader = read(Self.destination("http", #""where":"\#(condition)""#))
            #expect(reader.errors == [])
            #expect(reader.warnings.map(\.path) == (isVain ? ["$.destinations[0].where"] : []), "\(condition)")
        }
    }

    @Test("the conditions of all destinations together have a bound, and so has what one asks")
    func weight() {
        func destinations(_ weights: [Int]) -> String {
            weights.enumerated().map { place, weight in
                let searches = (0..<weight / 100).map { _ in "a contains x" }
                let text = (searches + (0..<weight % 100).map { _ in "a = 1" }).joined(separator: " or ")
                return #"{"name":"d\#(place)","kind":"http","url":"http://x","where":"\#(text)"}"#
            }.joined(separator: ",")
        }
        #expect(read(destinations([500, 499, 1])).errors == [])
        let reader = read(destinations([500, 499, 2]))
        #expect(reader.errors.map(\.path) == ["$.destinations[2].where"])
        #expect(reader.errors.first?.message.contains("weigh more than 1000 together") == true)
    }
}

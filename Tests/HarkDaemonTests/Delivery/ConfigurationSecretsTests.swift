import HarkDelivery
import HarkSettings
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// The settings of destinations as the daemon shows them, and faults in them (row L3).
@Suite(.timeLimit(.minutes(45))) struct ConfigurationSecretsTests {
    @Test("L3: config.get names where keys are, and shows none, nor what else may be one")
    func hidden() async throws {
        let key = "sc-0123456789"
        try await DaemonFixture.deliver { daemon, client, receiver in
            try daemon.put(key, in: "flags.key")
            try daemon.put(key, in: "hook.token")
            func core(_ name: String) -> String {
                #"{"name":"\#(name)","kind":"sensorcore","host":"http://u:\#(key)@core.test","#
            }
            try daemon.put(
                """
                {"archive":false,"flags":{"url":"http://u:\(key)@flags.test/f.json?key=\(key)","apiKeyFile":"flags.key"},\
                "destinations":[\
                \(core("file"))"apiKeyFile":"flags.key"},\(core("credential"))"apiKeyCredential":"core-key"},\
                \(core("variable"))"apiKeyEnv":"CORE_KEY"},\
                {"name":"hook","kind":"http","url":"https://u:\(key)@hook.test/in?token=\(key)","enabled":false,\
                "headers":{"Authorization":"Bearer \(key)","A":{"file":"hook.token"},"B":{"credential":"c"},\
                "C":{"env":"D"}}}]}
                """, in: "harkd.json")
            try await daemon.reload()
            let reply = try await client.call("config.get")
            #expect(!reply.description.contains(key), "\(reply)")
            let destinations = try #require(reply["config"]?["destinations"]?.arrayValue)
            #expect(destinations[0]["apiKeyFile"] == "flags.key" && destinations[0]["host"] == "http://core.test")
            #expect(destinations[1]["apiKeyCredential"] == "core-key")
            #expect(destinations[2]["apiKeyEnv"] == "CORE_KEY")
            #expect(destinations[3]["url"]?.stringValue?.hasPrefix("https://hook.test/in") == true)
            #expect(
                destinations[3]["headers"] == [
                    "Authorization": "…", "A": ["file": "hook.token"], "B": ["credential": "c"], "C": ["env": "D"],
                ])
            #expect(reply["config"]?["flags"]?["apiKeyFile"] == "flags.key")
            for method in ["delivery.status", "daemon.status", "flags.list"] {
                #expect(try await !client.ask(method).description.contains(key), "\(method)")
            }
        }
    }

    @DaemonActor
    private static func settings(_ client: FixtureClient) async throws -> JSONValue? {
        try await client.call("config.get")["config"]?["destinations"]?[0]
    }

    @Test("L3: config.get tells every setting with its default, and what is said comes back as it was")
    func everySetting() async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.hook()) { daemon, client, receiver in
            #expect(
                try await Self.settings(client) == [
                    "name": "hook", "kind": "http", "url": "http://hook.test/in", "headers": [:], "enabled": true,
                    "kinds": ["log", "event", "survey", "session"], "names": [],
                    "socket": .string(daemon.folder.path + "/server"), "timeoutSeconds": 600.0, "retryBaseSeconds": 1.0,
                    "retryCapSeconds": 300.0, "concurrency": 1, "batchEntries": 512, "batchBytes": 1_048_576,
                    "maxAttempts": 3, "persistFailedLogs": true, "maxPendingLogs": nil, "pendingLogMaxAge": nil,
                    "maxDeadLetters": 1_000, "suspendUntilRestart": false, "compression": "none", "format": "lines",
                    "method": "POST",
                ])
            try await daemon.reload(
                destinations: DaemonFixture.hook(
                    """
                    ,"enabled":false,"kinds":["event"],"names":["a*"],"level":"error","caFile":"own.pem",\
                    "retryBaseSeconds":0.5,"retryCapSeconds":60,"concurrency":2,"batchEntries":10,"batchBytes":2048,\
                    "maxAttempts":null,"persistFailedLogs":false,"maxPendingLogs":5,"pendingLogMaxAge":6,\
                    "maxDeadLetters":7,"suspendUntilRestart":true,"defaultUserId":"kiosk","compression":"gzip",\
                    "format":"array","method":"PUT"
                    """))
            #expect(
                try await Self.settings(client) == [
                    "name": "hook", "kind": "http", "url": "http://hook.test/in", "headers": [:], "enabled": false,
                    "kinds": ["event"], "names": ["a*"], "level": "error",
                    "socket": .string(daemon.folder.path + "/server"), "caFile": "own.pem", "timeoutSeconds": 600.0,
                    "retryBaseSeconds": 0.5, "retryCapSeconds": 60.0, "concurrency": 2, "batchEntries": 10,
                    "batchBytes": 2_048, "maxAttempts": nil, "persistFailedLogs": false, "maxPendingLogs": 5,
                    "pendingLogMaxAge": 6, "maxDeadLetters": 7, "suspendUntilRestart": true, "defaultUserId": "kiosk",
                    "compression": "gzip", "format": "array", "method": "PUT",
                ])
        }
    }

    @Test("L3: a wrong setting is told with the file and its place, and what was in force stays in force")
    func refused() async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore()) { daemon, client, receiver in
            try daemon.write(
                destinations: DaemonFixture.sensorcore(#","level":"fatal","apiKey":"sc-0123456789""#))
            let error = try await client.ask("config.reload")["error"]
            #expect(error?["data"]?["reason"] == "invalidParams")
            let message = try #require(error?["message"]?.stringValue)
            for words in [
                daemon.options.paths.configurationFile,
                "$.destinations[0].level: must be one of info, warning, error, messages",
                "$.destinations[0].apiKey: a key does not belong here", "the configuration in force was kept",
            ] {
                #expect(message.contains(words), "\(message)")
            }
            #expect(!message.contains("sc-0123456789"))
            try await client.call("log.write", #"{"message":"x"}"#)
            try await daemon.settle("core")
            #expect(receiver.contents == ["x"])
        }
    }

    @Test(
        "L3: while a key cannot be had nothing is sent, and it is told why; put in place, it serves after a reload",
        arguments: [#""apiKeyFile":"nowhere""#, #""apiKeyCredential":"nowhere""#, #""apiKeyEnv":"HARK_NOWHERE""#])
    func missing(_ source: String) async throws {
        let settings = DaemonFixture.sensorcore().replacing(#""apiKeyFile":"key""#, with: source)
        try await DaemonFixture.deliver(to: settings) { daemon, client, receiver in
            try await client.call("log.write", #"{"message":"x"}"#)
            try await eventually("it is told") { try daemon.outlet("core").lastError != nil }
            let status = try await client.call("delivery.status", #"{"destination":"core"}"#)["destinations"]?[0]
            #expect(status?["lastError"]?.stringValue?.lowercased().contains("nowhere") == true, "\(status ?? nil)")
            #expect(status?["pending"] == 1 && status?["dropped"] == [:] && status?["deadLetters"] == 0)
            #expect(receiver.requests.isEmpty)
            try await daemon.reload(destinations: DaemonFixture.sensorcore())
            try await daemon.settle("core")
            #expect(receiver.requests.map { $0.headers["x-api-key"] } == ["secret-key-1"])
        }
    }

    @Test("L3: a header whose key cannot be sent is told by its name alone")
    func unsendableHeader() async throws {
        let settings = DaemonFixture.hook(#","headers":{"X-Key":{"file":"odd"}},"kinds":["log"]"#)
        try await DaemonFixture.deliver { daemon, client, receiver in
            try daemon.put("one\ntwo", in: "odd")
            try await daemon.reload(destinations: settings)
            try await client.call("log.write", #"{"message":"x"}"#)
            try await client.call("delivery.flush")
            try await eventually("it is told") { try daemon.outlet("hook").lastError != nil }
            let error = try #require(try daemon.outlet("hook").lastError)
            #expect(error.contains("/odd does not hold a key") && !error.contains("two"), "\(error)")
            #expect(receiver.requests.isEmpty)
            try daemon.put("one\n", in: "odd")
            try await daemon.reload()
            try await daemon.settle("hook")
            #expect(receiver.requests.map { $0.headers["x-key"] } == ["one"])
        }
    }
}

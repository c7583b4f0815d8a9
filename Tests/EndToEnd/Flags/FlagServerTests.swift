import Foundation
import HarkWire
import Testing

/// Flags from a server.
@Suite(.endToEnd) struct FlagServerTests {
    private let home: DaemonHome
    private let server: FlagServer

    init() throws {
        home = try DaemonHome()
        server = try FlagServer(
            #"{"on": true, "retries": 3, "seconds": 2.5, "variant": "control", "deep": {"a": [1]}}"#)
        try home.files.write(FlagServer.key + "\n", to: "config/key")
        try configure(#""apiKeyFile": "key""#)
    }

    private func configure(_ key: String, refreshSeconds: Int = 300) throws {
        try home.configure(
            #"{"flags": {"url": "\#(server.host)/api/config", \#(key), "refreshSeconds": \#(refreshSeconds)}}"#)
    }

    private func value(_ client: SocketClient, _ key: String, _ type: String = "raw") throws -> JSONValue? {
        try client.call("flags.get", #"{"key":"\#(key)","type":"\#(type)"}"#)["value"]
    }

    /// Waits for a flag, and for the end of the fetch that brought it: a refresh before that would wait for the same.
    private func wait(for key: String, _ value: JSONValue, _ client: SocketClient) throws {
        try waitUntil("'\(key)' is \(value)") {
            try self.value(client, key) == value && client.call("flags.get")["source"]?["dueAt"]?.isNull == false
        }
    }

    private func outcome(_ client: SocketClient) throws -> String? {
        try client.call("flags.refresh")["outcome"]?.stringValue
    }

    private func problems(_ client: SocketClient) throws -> [String] {
        (try client.call("flags.get")["source"]?["problems"]?.arrayValue ?? []).compactMap {
            $0["message"]?.stringValue
        }
    }

    @Test("L8: flags are fetched with the key at the start, and each is what it is, or nothing")
    func types() throws {
        let client = try home.start().connect()
        try wait(for: "on", true, client)
        let expected: [(String, String, JSONValue)] = [
            ("on", "bool", true), ("on", "int", .null), ("on", "string", .null), ("retries", "int", 3),
            ("retries", "double", 3.0), ("retries", "bool", .null), ("seconds", "double", 2.5),
            ("seconds", "int", .null),
            ("variant", "string", "control"), ("variant", "raw", "control"), ("deep", "raw", ["a": [1]]),
            ("deep", "string", .null), ("absent", "raw", .null), ("", "bool", .null),
        ]
        for (key, type, value) in expected { #expect(try self.value(client, key, type) == value, "\(key) as \(type)") }
        let fallback = try client.call("flags.get", #"{"key":"retries","type":"bool","default":false}"#)["value"]
        #expect(fallback == false)
        let all = try client.call("flags.get")
        #expect(all["flags"]?.objectValue?.count == 5)
        #expect(all["source"]?["place"]?.stringValue == server.host + "/api/config")
        #expect(all["source"]?["isCopy"] == false)
    }

    @Test("L8: flags are looked for by interval and by hand")
    func refresh() throws {
        try configure(#""apiKeyFile": "key""#, refreshSeconds: 1)
        let daemon = try home.start()
        let client = try daemon.connect()
        try wait(for: "retries", 3, client)
        try waitUntil("nothing new is told by 304") { try server.answers.contains("304") }
        try server.serve(#"{"retries": 4}"#)
        try wait(for: "retries", 4, client)
        #expect(try value(client, "on") == .null)

        try configure(#""apiKeyFile": "key""#, refreshSeconds: 3600)
        try client.call("config.reload")
        try waitUntil("the timer is a long one") {
            let due = try client.call("flags.get")["source"]?["dueAt"]?.stringValue.flatMap { Timestamp($0) }
            return (due?.milliseconds ?? 0) > Int64(Date().timeIntervalSince1970 * 1000) + 600_000
        }
        try server.serve(#"{"retries": 5}"#)
        #expect(try outcome(client) == "updated")
        #expect(try value(client, "retries") == 5)
        #expect(try outcome(client) == "unchanged")
    }

    @Test("L8: neither errors, a wrong key, what is no object, nor a server that is gone take the last good flags away")
    func lastGood() throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        try wait(for: "retries", 3, client)

        for (body, status) in [("{}", 500), ("[1]", 200), ("no JSON", 200), ("{}", 404), ("", 200)] {
            try server.serve(body, status: status)
            #expect(try outcome(client) == "failed", "\(body) \(status)")
            #expect(try value(client, "retries") == 3)
            #expect(try !problems(client).isEmpty)
        }
        try server.serve(#"{"retries": 6}"#)
        try home.files.write("another", to: "config/key")
        let refused = try client.call("flags.refresh")
        #expect(refused["error"]?.stringValue?.contains("401") == true)
        #expect(try value(client, "retries") == 3)
        // The key is read anew each time.
        try home.files.write(FlagServer.key, to: "config/key")
        #expect(try outcome(client) == "updated")
        #expect(try value(client, "retries") == 6)
        #expect(try problems(client).isEmpty)

        server.stop()
        #expect(try outcome(client) == "failed")
        #expect(try value(client, "retries") == 6)
        try daemon.stop()
        // The very first request finds them, as from a script that makes systemd start the daemon.
        let next = try home.launch()
        var first: SocketClient?
        try waitUntil("somebody listens") {
            first = try? next.connect()
            return first != nil
        }
        let other = try #require(first)
        #expect(try value(other, "retries") == 6)
        #expect(try other.call("flags.get")["source"]?["isCopy"] == true)
        try waitUntil("the daemon has found the server gone") { try !problems(other).isEmpty }
        #expect(try value(other, "retries") == 6)
        try server.start()
        #expect(try outcome(other) == "unchanged")
        #expect(try other.call("flags.get")["source"]?["isCopy"] == false)
    }

    @Test("L8: a server that was never reached leaves every flag at its default")
    func coldStart() throws {
        server.stop()
        let daemon = try home.start()
        let client = try daemon.connect()
        try waitUntil("the server was asked") { try !problems(client).isEmpty }
        #expect(try value(client, "on") == .null)
        #expect(try client.call("flags.get", #"{"key":"on","default":[1]}"#)["value"] == [1])
        #expect(try client.call("flags.get")["flags"] == [:])
        try server.start()
        #expect(try outcome(client) == "updated")
        #expect(try value(client, "on") == true)
    }

    @Test("L8: a destination hands out flags by its host and key, and can be exchanged for another one")
    func destination() throws {
        let other = try FlagServer(#"{"on": false}"#)
        func configure(_ flags: String) throws {
            try home.configure(
                #"{"destinations": [{"name": "core", "kind": "sensorcore", "host": "\#(server.host)/","#
                    + #""apiKeyFile": "key"}, {"name": "other", "kind": "sensorcore", "host": "\#(other.host)","#
                    + #""apiKeyFile": "key"}]\#(flags)}"#)
        }
        try configure("")
        let client = try home.start().connect()
        try wait(for: "on", true, client)
        #expect(try client.call("flags.get")["source"]?["place"]?.stringValue == server.host + "/api/config")
        try configure(#", "flags": {"destination": "other"}"#)
        try client.call("config.reload")
        try wait(for: "on", false, client)
        try configure(#", "flags": {"destination": "third"}"#)
        let refused = try client.ask("config.reload")
        #expect(refused.message?.contains("$.flags.destination") == true)
        #expect(try value(client, "on") == false)
    }

    @Test("L3: the key comes from a file, a credential or the environment, and is told nowhere")
    func key() throws {
        try home.files.write(FlagServer.key + "\n", to: "api-key")
        home.prefix = ["env", "CREDENTIALS_DIRECTORY=\(home.files.path)", "FLAG_KEY=\(FlagServer.key)"]
        for form in [
            #""apiKeyFile": "key""#, #""apiKeyFile": "\#(home.files.path("api-key"))""#,
            #""apiKeyCredential": "api-key""#, #""apiKeyEnv": "FLAG_KEY""#,
        ] {
            try configure(form)
            let daemon = try home.start(["--state", home.files.path("state-\(form.hashValue)")])
            let client = try daemon.connect()
            try wait(for: "on", true, client)
            // Refused for its key, the daemon has most reason to talk about it.
            try server.expect(key: "another")
            #expect(try outcome(client) == "failed")
            try server.expect(key: FlagServer.key)
            for method in ["config.get", "flags.get", "daemon.status", "flags.refresh"] {
                let text = "\(try client.call(method))"
                #expect(!text.contains(FlagServer.key), "\(method) tells the key")
            }
            #expect(try !daemon.errors.contains(FlagServer.key))
            try daemon.stop()
        }
        for (form, complaint) in [
            (#""apiKeyFile": "none""#, "No such file"), (#""apiKeyCredential": "none""#, "No such file"),
            (#""apiKeyEnv": "NONE""#, "NONE is not set"),
        ] {
            try configure(form)
            let client = try home.start().connect()
            try waitUntil("\(form) is told") { try problems(client).contains { $0.contains(complaint) } }
        }
        let found = try Child.run(["grep", "--recursive", "--files-with-matches", FlagServer.key, home.files.path])
        let own = ["/config/key", "/api-key"].map { home.files.path + $0 }
        #expect(Set(found.output.split(separator: "\n").map(String.init)) == Set(own))
    }
}

/// Flags and a network that comes back.
@Suite(.endToEnd, .enabled(if: NetworkSpace.isPossible, "only root can make a network namespace"))
struct FlagNetworkTests {
    @Test("L7: the return of the network has flags fetched that could not be")
    func networkReturns() throws {
        let home = try DaemonHome()
        let space = try NetworkSpace()
        home.prefix = space.prefix
        let server = try FlagServer(#"{"on": true}"#, prefix: space.prefix)
        try home.files.write(FlagServer.key, to: "config/key")
        try home.configure(#"{"flags": {"url": "\#(server.host)/api/config", "apiKeyFile": "key"}}"#)
        server.stop()
        let client = try home.start().connect()
        // With each failure, the next automatic attempt is further off.
        for _ in 0..<6 { #expect(try client.call("flags.refresh")["outcome"] == "failed") }
        try server.start()
        #expect(try client.call("flags.get", #"{"key":"on"}"#)["value"] == .null)
        try space.ip("link set far0 down")
        try waitUntil("offline") { try client.call("network.status")["network"]?["satisfied"] == false }
        try space.ip("link set far0 up")
        try waitUntil("the flags are there", within: 5) {
            try client.call("flags.get", #"{"key":"on"}"#)["value"] == true
        }
    }
}

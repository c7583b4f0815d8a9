import Foundation
import Hark
import HarkWire
import Testing

/// Row D6: servers and the library: accepted logs, flags, and data that servers keep after a clear.
@Suite(.endToEnd) struct LibraryServerTests {
    private let scene: DeliveryScene
    private let door: Receiver.Door
    private let recorder: EventRecorder

    init() throws {
        scene = try DeliveryScene()
        door = try scene.receiver.door("core")
        var options = EventRecorder.Options()
        options.socket = scene.home.socket
        recorder = EventRecorder(options)
    }

    @Test("L1 L2: a line goes out with its level, user and metadata; who waits knows that a server has it, or why not")
    func logs() async throws {
        try scene.configure(DeliveryScene.core(door, #""retryBaseSeconds":30"#))
        try scene.start()
        try door.keepBodies()
        try await recorder.logAsync("confirmed", level: .error, userID: "ada", metadata: ["w": "w", "n": 0])
        #expect(try door.report.unique == 1)
        recorder.log("kept", level: .warning, metadata: ["w": "w", "n": 1, "ratio": 0.5, "on": true])
        await recorder.flush()
        try scene.wait(for: door, toHave: 2)
        let bodies = try door.bodies.map(\.description).joined()
        for part in ["confirmed", "error", "ada", "kept", "warning", "ratio"] {
            #expect(bodies.contains(part), "\(part) in \(bodies)")
        }
        let refusals: [(Receiver.Rule, HarkError.Code, Int)] = [
            (.status(413), .encodingFailed, 413), (.status(400), .serverError, 400), (.status(429), .rateLimited, 429),
            (.status(403, body: #"{"code":"QUOTA_EXCEEDED"}"#), .quotaExceeded, 403),
        ]
        for (rule, code, status) in refusals {
            try door.set(rule)
            try scene.client.call("delivery.resume")
            let error = await #expect(throws: HarkError.self) { try await recorder.logAsync("line") }
            #expect(error?.code == code && error?.status == status, "\(String(describing: error))")
        }
        try door.close()
        try scene.client.call("delivery.resume")
        let unreached = await #expect(throws: HarkError.self) { try await recorder.logAsync("line") }
        #expect(unreached?.code == .networkError && unreached?.status == nil)
    }

    @Test("L8: flags are read as what they are, and never an error")
    func flags() async throws {
        #expect(await recorder.remoteConfig().raw.isEmpty)
        try scene.home.configure(#"{"flags":{"file":"flags.json"}}"#)
        try scene.home.files.write(
            #"{"on":true,"name":"blue","ratio":0.5,"count":3,"list":[1]}"#, to: "config/flags.json")
        try scene.start()
        let config = await recorder.remoteConfig()
        #expect(config.bool(for: "on") == true && config.bool(for: "name") == nil)
        #expect(config.string(for: "name") == "blue" && config.string(for: "on") == nil)
        #expect(config.double(for: "ratio") == 0.5 && config.double(for: "count") == 3)
        #expect(config.int(for: "count") == 3 && config.int(for: "ratio") == nil)
        #expect(config["list"] == [1] && config["nothing"] == nil && config.raw.count == 5)
    }

    @Test("L8: flags are those of the server now, also at the first call; without it, the last it gave")
    func freshFlags() async throws {
        let server = try FlagServer(#"{"count":1}"#)
        try scene.home.files.write(FlagServer.key, to: "config/core.key")
        try scene.home.configure(
            #"{"flags":{"url":"\#(server.host)/api/config","apiKeyFile":"core.key","refreshSeconds":86400}}"#)
        try scene.start()
        #expect(await recorder.remoteConfig().int(for: "count") == 1)
        try server.serve(#"{"count":2}"#)
        #expect(await recorder.remoteConfig().int(for: "count") == 2)
        server.stop()
        #expect(await recorder.remoteConfig().int(for: "count") == 2)
        try server.start()
        try server.serve(#"{"count":3}"#)
        #expect(await recorder.remoteConfig().int(for: "count") == 3)
    }

    @Test("E6: a clear of a user, of nobody or of a session tells which servers have got some of it")
    func clear() async throws {
        let hook = try scene.receiver.door("hook")
        try scene.configure(DeliveryScene.hook(hook))
        try scene.start()
        var sessions: [String] = []
        for user in ["ada", nil, "bob"] {
            sessions.append(try await recorder.startSession(userID: user).id)
            try await recorder.recordAndWait("tick", properties: ["w": "w", "n": .integer(Int64(sessions.count))])
        }
        try scene.client.wait(for: "hook", "all was sent") { $0.pending == 0 && $0.delivered > 3 }
        #expect(try await recorder.listSessions(forUserID: nil).map(\.id) == [sessions[1]])
        #expect(try await recorder.clear(.user(nil)) == ["hook"])
        #expect(try await recorder.listAllSessions().map(\.id) == [sessions[0], sessions[2]])
        #expect(try await recorder.clear(.session(sessions[2])) == ["hook"])
        #expect(try await recorder.allEvents().map(\.userID) == ["ada"])
        try scene.configure()
        try scene.reload()
        #expect(try await recorder.clear() == [])
        #expect(try await recorder.listAllSessions().isEmpty)
    }
}

import HarkClient
import HarkWire
import Testing

@testable import HarkTool

/// The options of `hark fleet join`, as settings.
@Suite struct MembershipRequestTests {
    private func request(_ words: String...) throws -> MembershipRequest {
        let arguments = try ArgumentParser(command: .fleetJoin).parse(["hark fleet join"] + words)
        return try MembershipRequest(arguments, folder: "/home/ada")
    }

    @Test("the address names broker and fleet, and options become members")
    func settings() throws {
        #expect(try request("mqtt://b/shop").settings == ["broker": "mqtt://b", "name": "shop"])
        #expect(
            try request("MQTTS://[::1]:8884/", "--name", "shop", "--hub", "--shards", "4").settings
                == ["broker": "mqtts://[::1]:8884", "name": "shop", "role": "hub", "shards": 4])
        #expect(
            try request(
                "mqtts://b:8883/shop", "--machine", "kiosk-1", "--group", "north", "--user", "kiosk-1",
                "--password-file", "secret", "--ca-file", "/etc/ca.crt", "--certificate", "a.crt", "--key", "a.key"
            ).settings
                == [
                    "broker": "mqtts://b:8883", "name": "shop", "machine": "kiosk-1", "group": "north",
                    "userName": "kiosk-1", "passwordFile": "/home/ada/secret", "caFile": "/etc/ca.crt",
                    "certificateFile": "/home/ada/a.crt", "keyFile": "/home/ada/a.key",
                ])
    }

    @Test(
        "what cannot be meant is a fault of the command line, and a password in an address is told to nobody",
        arguments: [
            ["b/shop"], ["http://b/shop"], ["mqtt:///shop"], ["mqtt://b"], ["mqtt://b/two/levels"], ["mqtt://b/a b"],
            ["mqtt://ada:secret@b/shop"], ["mqtt://b/shop?x"], ["mqtt://b/shop", "--name", "other"],
            ["mqtt://b/shop", "--machine", "a.b"], ["mqtt://b/shop", "--hub", "--machine", "a"],
            ["mqtt://b/shop", "--hub", "--group", "a"], ["mqtt://b/shop", "--key", "a"],
            ["mqtt://b/shop", "--password-file", "a"], ["mqtt://b/shop", "--shards", "0"],
            ["mqtt://b/shop", "--shards", "1025"],
        ])
    func faults(_ words: [String]) throws {
        let arguments = try ArgumentParser(command: .fleetJoin).parse(["hark fleet join"] + words)
        let error = #expect(throws: ToolError.self) { try MembershipRequest(arguments, folder: "/") }
        #expect(error?.exit == .usage && error?.message.contains("secret") == false)
    }
}

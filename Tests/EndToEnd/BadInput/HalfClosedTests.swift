import HarkWire
import Testing

/// Clients that stop sending, or vanish.
@Suite(.endToEnd) struct HalfClosedTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        daemon = try home.start()
    }

    @Test("a client that shuts its sending side gets all its replies, and then the end")
    func halfClosed() throws {
        let client = try daemon.connect()
        try client.send(#"{"id":1,"method":"event.record","params":{"name":"a"}}"# + "\n")
        try client.send(#"{"id":2,"method":"event.list","params":{}}"#)
        client.finishSending()
        #expect(try client.reply().result?["seq"] != nil)
        #expect(try client.reply().result?["events"]?[0]?["name"] == "a")
        #expect(try client.readLine() == nil)
    }
}

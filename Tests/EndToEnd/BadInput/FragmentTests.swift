import HarkWire
import Testing

/// Requests that do not come in one piece, or not at all.
@Suite(.endToEnd) struct FragmentTests {
    private let daemon: DaemonProcess
    private let observer: SocketClient

    init() throws {
        daemon = try DaemonHome().start()
        observer = try daemon.connect()
    }

    private static let request = Array(
        (#"{"id":"ä€🌍","method":"event.record","params":{"name":"piece","properties":{"t":"\u00e4\\"}}}"# + "\r\n").utf8
    )

    @Test("a request cut in two at any byte is one request")
    func everyByte() throws {
        let client = try daemon.connect()
        for cut in 1..<FragmentTests.request.count {
            try client.send(Array(FragmentTests.request[..<cut]))
            // Once somebody else was answered, the loop has seen the first piece.
            try observer.call("hello")
            try client.send(Array(FragmentTests.request[cut...]))
            let reply = try client.reply()
            #expect(reply.id == "ä€🌍" && reply.result?["seq"] == .int(Int64(cut + 1)), "cut at \(cut): \(reply)")
        }
        #expect(try observer.lines().count == FragmentTests.request.count - 1)
    }

    @Test("a request that comes byte by byte is one request")
    func byteByByte() throws {
        let client = try daemon.connect()
        for byte in FragmentTests.request { try client.send([byte]) }
        #expect(try client.reply().result?["seq"] == 2)
    }

    @Test("a line over the limit in many pieces is refused once, and the next line is taken")
    func longInPieces() throws {
        let client = try daemon.connect()
        for _ in 0..<300 { try client.send([UInt8](repeating: UInt8(ascii: "x"), count: 9_999)) }
        try client.send("\n" + #"{"id":1,"method":"hello"}"# + "\n")
        #expect(try client.reply().reason == "tooLarge")
        #expect(try client.reply().result?["name"] == "harkd")
    }

    @Test("a client gone in the middle of a line leaves nothing of it behind")
    func goneMidLine() throws {
        for cut in stride(from: 1, to: FragmentTests.request.count - 2, by: 7) {
            let client = try daemon.connect()
            try client.send(FragmentTests.request)
            try client.send(Array(FragmentTests.request[..<cut]))
            if cut % 2 == 0 { _ = try client.reply() }
            // The connection ends with `client`.
        }
        let whole = (FragmentTests.request.count - 4) / 7 + 1
        try waitUntil("the whole lines are stored") { try observer.lines().count == whole }
        try waitUntil("the clients are forgotten") {
            try observer.call("daemon.status")["clients"]?["connections"] == 1
        }
        #expect(try observer.lines().count == whole)
    }

    @Test("what a client had sent before it vanished is stored, whether or not it read the replies")
    func sentAndGone() throws {
        for round in 1...3 {
            let client = try daemon.connect()
            let requests = (0..<3_000).map {
                #"{"id":\#($0),"method":"event.record","params":{"name":"a","properties":{"n":\#($0)}}}"# + "\n"
            }
            try client.send(requests.joined())
            // The connection ends with `client`; thousands of replies are unread.
            _ = consume client
            try waitUntil("they are stored") {
                try observer.call("daemon.status")["store"]?["events"] == .int(Int64(round * 3_000))
            }
        }
    }

    @Test("half a line before the end is refused, and what was whole is answered first")
    func halfLineAtTheEnd() throws {
        let client = try daemon.connect()
        try client.send(FragmentTests.request + FragmentTests.request.dropLast(20))
        client.finishSending()
        #expect(try client.reply().result?["seq"] == 2)
        #expect(try client.reply().reason == "parseError")
        #expect(try client.readLine() == nil)
        #expect(try observer.lines().count == 1)
    }

    @Test("a last line without a newline is a line: printf '…' | socat")
    func printfSocat() throws {
        let result = try Child.run(
            [
                "sh", "-c",
                #"printf '{"id":1,"method":"event.record","params":{"name":"from a shell"}}' | socat -t 20 - UNIX-CONNECT:"$1""#,
                "sh", daemon.home.socket,
            ])
        #expect(result.ending == .exited(0))
        #expect(RecordReply(Array(result.output.utf8.dropLast()))?.sequence == 2, "\(result.output)\(result.errors)")
    }

    @Test("a client that shuts its sending side gets all its replies, and then the end")
    func halfClosed() throws {
        let client = try daemon.connect()
        for number in 1...200 {
            try client.send(#"{"id":\#(number),"method":"event.record","params":{"name":"a"}}"# + "\n")
        }
        try client.send(#"{"id":201,"method":"event.list","params":{"limit":500}}"#)
        client.finishSending()
        for number in 1...200 { #expect(try client.reply().id == .int(Int64(number))) }
        #expect(try client.reply().result?["events"]?.arrayValue?.count == 200)
        #expect(try client.readLine() == nil)
    }
}

import HarkWire
import Testing

/// Bad input over the socket: each has its own clear error, and nothing else happens.
@Suite(.endToEnd) struct RefusalTests {
    private let daemon: DaemonProcess
    private let client: SocketClient
    private let observer: SocketClient

    init() throws {
        daemon = try DaemonHome().start()
        client = try daemon.connect()
        observer = try daemon.connect()
    }

    @Test("each bad line gets its own clear error, and the connection lives on")
    func eachAlone() throws {
        for bad in BadLine.lines {
            try client.send(bad.line + [UInt8(ascii: "\n")])
            let line = try #require(try client.readLine(), "\(bad.what)")
            #expect(line.count < 2_000, "\(bad.what): an error has to be short")
            let reply = Reply(try SocketClient.parse(line))
            check(reply, bad)
            #expect(try client.ask("hello").result != nil)
            #expect(try observer.ask("hello").result != nil)
        }
        try expectNothingStored()
    }

    @Test("all bad lines at once are answered in order, and a good one among them is kept")
    func pipelined() throws {
        let good = Array((#"{"id":1,"method":"event.record","params":{"name":"good"}}"# + "\n").utf8)
        // The replies are read while more is sent, or the two would wait for each other.
        let half = BadLine.lines.count / 2
        try client.send(BadLine.lines[..<half].flatMap { $0.line + [UInt8(ascii: "\n")] })
        try client.send(good)
        for bad in BadLine.lines[..<half] { check(try client.reply(), bad) }
        #expect(try client.reply().result?["seq"] == 2)
        try client.send(BadLine.lines[half...].flatMap { $0.line + [UInt8(ascii: "\n")] })
        let replies = try BadLine.lines[half...].map { _ in try client.reply() }
        // Reads may overtake each other, so the second half is compared by content.
        for bad in BadLine.lines[half...] {
            #expect(replies.contains { $0.reason == bad.reason && $0.path == bad.path }, "\(bad.what)")
        }
        #expect(try observer.lines().map { try EventLine($0).name } == ["good"])
    }

    @Test("an error overtakes no reply to a record before it")
    func order() throws {
        let records = (1...50).map { #"{"id":\#($0),"method":"event.record","params":{"name":"a"}}"# + "\nnonsense\n" }
        try client.send(records.joined())
        for number in 1...50 {
            #expect(try client.reply().id == .int(Int64(number)))
            #expect(try client.reply().reason == "parseError")
        }
    }

    @Test("a request without an id gets no answer, however wrong it is")
    func silent() throws {
        try client.send(
            """
            {"method":"event.recrod"}
            {"method":"event.record","params":{"name":5}}
            {"method":"event.list","params":{"limit":0}}
            {"method":"hello"}
            {"id":3,"method":"event.record","params":{"name":"last"}}

            """)
        #expect(try client.reply().id == 3)
        #expect(try client.ask("daemon.status").result?["clients"]?["refused"] == 3)
    }

    @Test("empty lines, CRLF and members nobody knows are taken as they come")
    func tolerated() throws {
        try client.send("\n\r\n\n{\"id\":1,\"method\":\"hello\"}\r\n\r\n")
        #expect(try client.reply().result?["name"] == "harkd")
        try client.send(
            #"{"id":2,"method":"event.record","extra":1,"params":{"name":"a","colour":"red","properties":{"x":1}}}"#
                + "\r\n")
        let reply = try client.reply()
        #expect(reply.result?["warnings"] == ["unknown member 'colour'", "unknown member 'extra'"])
        #expect(reply.result?["seq"] != nil)
    }

    @Test("text of every kind comes back as it was sent")
    func text() throws {
        let text = #"\u0000 \u001f \" \\ \/ \b\f\n\r\t ÄÖÜ 你好 🌍 \ud83c\udf0d é \u2028"#
        try client.call(
            "event.record", #"{"name":"n\u0000m","app":"a\u0000b","properties":{"\u0000key":"\#(text)","":"empty"}}"#)
        let event = try client.call("event.list", #"{"app":"a\u0000b"}"#)["events"]?[0]
        #expect(event?["name"] == "n\0m")
        #expect(
            event?["properties"] == [
                "\0key": "\0 \u{1f} \" \\ / \u{8}\u{c}\n\r\t ÄÖÜ 你好 🌍 🌍 é \u{2028}", "": "empty",
            ])
    }

    @Test("numbers at the ends of their ranges come back as they were sent")
    func numbers() throws {
        try client.call(
            "event.record",
            #"{"name":"n","properties":{"a":9223372036854775807,"b":-9223372036854775808,"c":1.7976931348623157e308,"d":-0.0,"e":5e-324,"f":1.0}}"#
        )
        let line = try #require(try client.lines().first)
        #expect(
            line.contains(
                #"{"a":9223372036854775807,"b":-9223372036854775808,"c":1.7976931348623157e+308,"d":-0.0,"e":5e-324,"f":1.0}"#
            ), "\(line)")
    }

    @Test("a line of exactly the limit is taken")
    func longest() throws {
        let frame = #"{"id":1,"method":"event.record","params":{"name":"long","properties":{"t":""}}}"#
        let text = String(repeating: "x", count: (1 << 20) - frame.utf8.count)
        try client.send(frame.replacing(#""t":"""#, with: #""t":"\#(text)""#) + "\n")
        #expect(try client.reply().result?["seq"] != nil)
        #expect(try client.lines().first?.contains(text) == true)
    }

    private func check(_ reply: Reply, _ bad: BadLine) {
        let comment: Comment = "\(bad.what): \(reply)"
        #expect(reply.reason == bad.reason, comment)
        #expect(reply.code == ErrorReason(rawValue: bad.reason).map { Int64($0.code) }, comment)
        #expect(reply.path == bad.path, comment)
        #expect(reply.message?.contains(bad.hint) == true, comment)
        #expect(reply.id == bad.id.map { .int($0) } ?? .null, comment)
        #expect(reply.value["jsonrpc"] == "2.0", comment)
    }

    private func expectNothingStored() throws {
        #expect(try observer.lines().isEmpty)
        #expect(try observer.call("session.list")["sessions"] == [])
        #expect(try observer.call("daemon.status")["store"]?["lastSeq"] == 0)
    }
}

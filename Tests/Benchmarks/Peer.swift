/// A server that keeps events: Hark or the one it is compared with.
protocol Peer {
    var socket: String { get }
    /// One request that durably records an event; `index` is its place in the pipeline.
    func request(_ index: Int) -> [UInt8]
    var newlinesPerReply: Int { get }
    /// A request for the number of events; the number follows `countMark` in the reply.
    var countRequest: String { get }
    var countMark: String { get }
}

extension Peer {
    /// The number of events in the server.
    func count() throws -> Int {
        let reply = try Connection(to: socket).ask(countRequest)
        guard let mark = reply.firstRange(of: countMark),
            let count = Int(reply[mark.upperBound...].prefix { $0.isNumber })
        else { throw Failure("no count in: \(reply)") }
        return count
    }

    /// Runs a load that records the expected number of events, and checks that the server took every one.
    func counting<Result>(_ expected: Int, _ load: () throws -> Result) throws -> Result {
        let before = try count()
        let result = try load()
        let taken = try count() - before
        guard taken == expected else { throw Failure("\(socket): took \(taken) of \(expected) events") }
        return result
    }
}

/// An event that every server gets.
struct Event {
    let name: String
    let properties: String

    /// The default event: 200 bytes with the name.
    static let sample = Event(
        name: "page_viewed",
        properties: #"{"path":"/shop/checkout/payment","referrer":"/shop/cart","cart":3,"total":59.95,"member":true,"#
            + #""campaign":"autumn-2026-second-wave","device":"kiosk-0042","locale":"de_AT.UTF-8","step":"four"}"#)
    /// The short event for large counts.
    static let small = Event(name: "tap", properties: #"{"n":1}"#)

    var text: String { #"{"name":"\#(name)","properties":\#(properties)}"# }
}

struct HarkPeer: Peer {
    let socket: String
    var event = Event.sample
    let newlinesPerReply = 1
    let countRequest = #"{"id":1,"method":"daemon.status"}"# + "\n"
    let countMark = #""events":"#

    func request(_ index: Int) -> [UInt8] {
        Array(
            (#"{"id":\#(index),"method":"event.record","params":\#(event.text)}"# + "\n").utf8)
    }
}

/// Redis Streams: `XADD events * name … properties …`.
struct RedisPeer: Peer {
    let socket: String
    var event = Event.sample
    let newlinesPerReply = 2
    let countRequest = "*2\r\n$4\r\nXLEN\r\n$6\r\nevents\r\n"
    let countMark = ":"

    func request(_ index: Int) -> [UInt8] {
        let words = ["XADD", "events", "*", "name", event.name, "properties", event.properties]
        return Array(("*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()).utf8)
    }
}

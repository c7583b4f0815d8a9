/// A server that keeps events, Hark or the one it is compared with, as the load sees it.
protocol Peer {
    var socket: String { get }
    /// One request that records an event durably; `index` is its place in the pipeline.
    func request(_ index: Int) -> [UInt8]
    var newlinesPerReply: Int { get }
    /// Asks how many events the server holds; the number follows `countMark` in the reply.
    var countRequest: String { get }
    var countMark: String { get }
}

extension Peer {
    /// How many events the server holds.
    func count() throws -> Int {
        let reply = try Connection(to: socket).ask(countRequest)
        guard let mark = reply.firstRange(of: countMark),
            let count = Int(reply[mark.upperBound...].prefix { $0.isNumber })
        else { throw Failure("no count in: \(reply)") }
        return count
    }

    /// Runs a load that records so many events, and makes sure that the server took every one.
    func counting<Result>(_ expected: Int, _ load: () throws -> Result) throws -> Result {
        let before = try count()
        let result = try load()
        let taken = try count() - before
        guard taken == expected else { throw Failure("\(socket): took \(taken) of \(expected) events") }
        return result
    }
}

/// The event every server is given: the same name and the same properties, 200 bytes with the name.
enum Sample {
    static let name = "page_viewed"
    static let properties =
        #"{"path":"/shop/checkout/payment","referrer":"/shop/cart","cart":3,"total":59.95,"member":true,"#
        + #""campaign":"autumn-2026-second-wave","device":"kiosk-0042","locale":"de_AT.UTF-8","step":"four"}"#
}

struct HarkPeer: Peer {
    let socket: String
    let newlinesPerReply = 1
    let countRequest = #"{"id":1,"method":"daemon.status"}"# + "\n"
    let countMark = #""events":"#

    func request(_ index: Int) -> [UInt8] {
        Array(
            (#"{"id":\#(index),"method":"event.record","params":{"name":"\#(Sample.name)","properties":"#
                + Sample.properties + "}}\n").utf8)
    }
}

/// Redis Streams: `XADD events * name … properties …`.
struct RedisPeer: Peer {
    let socket: String
    let newlinesPerReply = 2
    let countRequest = "*2\r\n$4\r\nXLEN\r\n$6\r\nevents\r\n"
    let countMark = ":"

    func request(_ index: Int) -> [UInt8] {
        let words = ["XADD", "events", "*", "name", Sample.name, "properties", Sample.properties]
        return Array(("*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()).utf8)
    }
}

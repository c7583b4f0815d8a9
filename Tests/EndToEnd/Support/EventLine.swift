import Foundation
import HarkWire

/// An event as its archive line, taken apart far enough to compare it.
struct EventLine: Hashable {
    let text: String
    let id: String
    let sequence: UInt64
    let session: String
    /// The JSON text of its properties.
    let properties: String
    let name: String

    /// - Throws: when the line has not the members of an event in the order the protocol promises.
    init(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        guard rest.skip(#"{"id":""#), let id = rest.identifier(), rest.skip(#"","seq":"#),
            let sequence = rest.number(), rest.skip(#","name":""#), let name = rest.take(to: "\""),
            rest.skip(#","timestamp":""#), rest.take(to: "\"")?.utf8.count == 24,
            rest.skip(#","sessionId":""#), let session = rest.identifier(), rest.skip("\""),
            !rest.skip(#","userId":""#) || rest.take(to: "\"") != nil, rest.skip(#","properties":"#)
        else { throw Failure("not an event: \(text)") }
        // What a property's text holds is escaped, so the last occurrence is the member.
        let tail = String(decoding: rest, as: UTF8.self)
        guard let source = tail.range(of: #","source":{"uid":"#, options: .backwards), tail.hasSuffix("}}") else {
            throw Failure("no source: \(text)")
        }
        self.text = text
        self.id = id
        self.sequence = sequence
        self.name = name
        self.session = session
        properties = String(tail[..<source.lowerBound])
    }
}

extension SocketClient {
    /// All event lines after a number, page by page.
    func lines(after sequence: UInt64 = 0, _ filter: String = "") throws -> [String] {
        var lines: [String] = []
        var next: Int64? = Int64(sequence)
        while let after = next {
            let page = try call("event.list", #"{"as":"lines","limit":10000,"afterSeq":\#(after)\#(filter)}"#)
            lines += try page["lines"]?.arrayValue.map { try $0.map { try $0.text } } ?? []
            next = page["nextAfterSeq"]?.intValue
        }
        return lines
    }

    /// Waits until the archive tree holds everything that is in the store.
    func waitForArchive(within seconds: Double = 120) throws {
        try waitUntil("the archive catches up", within: seconds) {
            let last = try call("daemon.status")["store"]?["lastSeq"]?.intValue
            let archive = try call("delivery.status")["destinations"]?[0]
            return archive?["cursor"]?.intValue == last && archive?["pending"]?.intValue == 0
        }
    }
}

import HarkWire
import Testing

/// Compares the store over several lives of the daemon with the requests and replies of writers.
struct StoreAudit {
    private var lastSequence: UInt64 = 0
    private var ids: Set<String> = []
    private var toldSequences: [UInt64: String] = [:]
    /// Every event line so far, in order.
    private(set) var lines: [String] = []

    /// Reads new records and checks them against the writers of the last round.
    mutating func check(_ client: SocketClient, against writers: [LoadWriter]) throws {
        let new = try client.lines(after: lastSequence).map { try EventLine($0) }
        var numbers: [String: [Int]] = [:]
        for event in new {
            #expect(event.sequence > lastSequence, "numbers ascend")
            lastSequence = event.sequence
            #expect(ids.insert(event.id).inserted, "\(event.id) is there twice")
            let (label, number) = try StoreAudit.token(of: event)
            numbers[label, default: []].append(number)
        }
        lines += new.map(\.text)
        let stored = Dictionary(new.map { ($0.id, $0) }) { first, _ in first }
        for writer in writers {
            checkReplies(of: writer, stored)
            // The requests of one connection are stored in order and without a gap, up to some point.
            let numbers = numbers.removeValue(forKey: writer.label) ?? []
            #expect(numbers == Array(0..<numbers.count), "the events of \(writer.label)")
            #expect(numbers.count <= writer.sent, "\(writer.label) never sent that many")
        }
        #expect(numbers.isEmpty, "events that nobody sent")
        try checkSessions(client, of: writers)
    }

    private mutating func checkReplies(of writer: LoadWriter, _ stored: [String: EventLine]) {
        #expect(writer.oddReplies.isEmpty)
        for reply in writer.acknowledged {
            let content = writer.content(reply.request)
            let event = stored[reply.id]
            #expect(
                event?.sequence == reply.sequence && event?.session == reply.session && event?.name == content.name
                    && event?.properties == content.properties,
                "acknowledged: \(reply); stored: \(event?.text ?? "nothing")")
            #expect(toldSequences.updateValue(reply.id, forKey: reply.sequence) == nil, "a number was told twice")
        }
    }

    private func checkSessions(_ client: SocketClient, of writers: [LoadWriter]) throws {
        for writer in writers {
            for (index, id) in writer.startedSessions.enumerated() {
                let session = try client.call("session.get", #"{"sessionId":"\#(id)"}"#)["session"]
                #expect(session?["metadata"]?["token"] == .string("\(writer.label)/\(index + 1)"))
                // Only the newest of the app runs; it may be one whose start was not acknowledged any more.
                #expect(session?["endedAt"]?.isNull == false || index == writer.startedSessions.count - 1)
            }
            // Before the first is acknowledged, the one of the round before may still be the current one.
            if !writer.startedSessions.isEmpty {
                let current = try client.call("session.current", #"{"app":"\#(writer.style.app)"}"#)["session"]
                let possible = (writer.startedSessions.count...writer.sessionsSent).map {
                    JSONValue.string("\(writer.label)/\($0)")
                }
                #expect(possible.contains(current?["metadata"]?["token"] ?? .null))
            }
        }
    }

    /// The writer of an event, and its number there.
    private static func token(of event: EventLine) throws -> (label: String, number: Int) {
        guard let match = try /\{"token":"(.+)\/(\d+)".*/.wholeMatch(in: event.properties), let number = Int(match.2)
        else { throw Failure("an event nobody sent: \(event.text)") }
        return (String(match.1), number)
    }
}

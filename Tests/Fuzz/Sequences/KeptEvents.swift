import HarkDaemon
import HarkServer

/// Events that were acknowledged and not cleared since: they must be there after every restart, once and in order.
struct KeptEvents {
    static let user = "kept-user"

    private struct Event: Hashable {
        let sequence: Int64
        let id: String
    }

    private var events: [Event] = []
    private var number = 0
    private var asked: [Int: String] = [:]
    /// The last state that the daemon reported.
    private(set) var state = ""

    // MARK: Recording

    /// The params of the next event.
    mutating func next() -> String {
        number += 1
        return #"{"app":"kept","userId":"\#(Self.user)","name":"kept","properties":{"n":\#(number)}}"#
    }

    mutating func asked(_ id: Int, _ method: String) { asked[id] = method }

    mutating func take(_ reply: ReplyReader.Result) throws(Finding) {
        switch asked.removeValue(forKey: reply.id) {
        case "event.record":
            guard let sequence = reply.result.member("seq")?.int, let id = reply.result.member("id")?.string else {
                throw Finding("an event was acknowledged without its number")
            }
            if let last = events.last, last.sequence >= sequence {
                throw Finding("event \(sequence) was acknowledged after \(last.sequence)")
            }
            events.append(Event(sequence: sequence, id: id))
        case "event.list": try takePage(reply.result)
        case "daemon.status": state = reply.result.member("state")?.string ?? ""
        default: break
        }
    }

    mutating func forgetAll() { events = [] }

    /// The daemon is gone, and with it the replies that it owed.
    mutating func forgetAsked() { asked = [:] }

    // MARK: Looking for them

    private var found: [Event] = []
    private var isLastPage = false

    mutating func beginVerifying() {
        found = []
        isLastPage = false
    }

    /// The params of the next page's request; nil when all is read.
    var query: String? {
        guard !isLastPage else { return nil }
        let after = found.last?.sequence ?? 0
        return #"{"userId":"\#(Self.user)","app":"kept","name":"kept","limit":5000,"afterSeq":\#(after)}"#
    }

    private mutating func takePage(_ result: JSONNode) throws(Finding) {
        guard let page = result.member("events")?.elements.map(Array.init) else {
            throw Finding("a page without events")
        }
        isLastPage = page.isEmpty
        for event in page {
            guard let sequence = event.member("seq")?.int, let id = event.member("id")?.string else {
                throw Finding("an event without its number")
            }
            if let last = found.last, last.sequence >= sequence {
                throw Finding("event \(sequence) is listed after \(last.sequence)")
            }
            found.append(Event(sequence: sequence, id: id))
        }
    }

    func verify() throws(Finding) {
        let lost = Set(events).subtracting(found)
        guard let first = lost.min(by: { $0.sequence < $1.sequence }) else { return }
        throw Finding("of \(events.count) acknowledged events \(lost.count) are gone after a restart, first \(first)")
    }
}

import HarkClient
import HarkWire

/// Asks the daemon on each tick for the events since the last one. The daemon counts them, so a tick costs little
/// however many there are.
struct TopSource {
    private let line: Line
    private var last: Int64?
    let machines: MachineScope

    /// Stands for the names that there was no room for.
    static let others = "…"

    /// The result of a tick.
    struct News {
        var status: DaemonStatusInfo
        var counts: [(name: String, count: Int64)] = []
        var surveys = (count: 0, isMore: false)
    }

    init(_ machines: MachineScope) throws(ClientError) {
        self.machines = machines
        line = Line(try Connection())
    }

    /// - Returns: Nil while there is no daemon; the next tick tries to connect again.
    /// - Throws: Errors that waiting does not resolve.
    mutating func tick() throws(ClientError) -> News? {
        do throws(ClientError) {
            if line.isAway { try line.reconnect() }
            return try ask()
        } catch {
            line.lose()
            guard error.isPassing else { throw error }
            return nil
        }
    }

    private mutating func ask() throws(ClientError) -> News {
        let status = try line.connection.call(DaemonStatus()).value
        var news = News(status: status)
        let after = last ?? status.store?.lastSeq ?? 0
        var question = EventStats(by: ["@name"])
        (question.afterSeq, question.limit, question.machines) = (after, 10_000, machines.choice)
        let counted = try line.connection.call(question).value
        for group in counted.groups {
            news.counts.append((group.by.json.elements.first?.string ?? "", group.events.counts.count))
        }
        if let rest = counted.rest { news.counts.append((Self.others, rest.counts.count)) }
        // Events committed before the first request are not news.
        last = counted.seq
        let waiting = try line.connection.call(SurveyPending()).value
        news.surveys.count = waiting.surveys.json.elements.count
        news.surveys.isMore = waiting.next != nil
        return news
    }
}

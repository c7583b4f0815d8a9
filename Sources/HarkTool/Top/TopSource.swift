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
        var status: JSONText
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
        let status = try line.connection.call(.daemonStatus)
        var news = News(status: status)
        let after = last ?? status.member("store")?.member("lastSeq")?.int ?? 0
        let counted = try line.connection.call(.eventStats) { params in
            params.member(.countAfterSeq, after)
            params.member(.groupBy, ["@name"])
            machines.append(to: &params)
            params.member(.groupLimit, 10_000)
        }
        for group in counted.member("groups")?.elements ?? [] {
            let name = group.member("by")?.elements.first?.string ?? ""
            news.counts.append((name, group.member("count")?.int ?? 0))
        }
        if let rest = counted.member("rest")?.member("count")?.int { news.counts.append((Self.others, rest)) }
        // Events committed before the first request are not news.
        last = counted.member("seq")?.int ?? after
        let waiting = try line.connection.call(.surveyPending)
        news.surveys.count = waiting.member("surveys")?.elements.count ?? 0
        news.surveys.isMore = waiting.member("next").map { !$0.isNull } ?? false
        return news
    }
}

import HarkClient
import HarkWire

/// Asks the daemon, once a tick, for what came since the last one. It counts in the daemon, so a tick costs no more than what
/// is new, however fast it comes.
struct TopSource: ~Copyable {
    private var connection: Connection?
    private var last: Int64?
    private let machines: MachineScope

    /// What a tick has found.
    struct News {
        var status: JSONText
        var counts: [(name: String, count: Int64)] = []
        var surveys = (count: 0, isMore: false)
    }

    init(_ machines: MachineScope) throws(ClientError) {
        self.machines = machines
        connection = try Connection()
    }

    /// - Returns: nil while there is no daemon; then it is looked for again with the next tick.
    /// - Throws: what waiting does not cure.
    mutating func tick() throws(ClientError) -> News? {
        do throws(ClientError) {
            if connection == nil { connection = try Connection() }
            return try ask()
        } catch {
            connection = nil
            guard error.isPassing else { throw error }
            return nil
        }
    }

    private mutating func ask() throws(ClientError) -> News? {
        guard let status = try connection?.call(.daemonStatus) else { return nil }
        var news = News(status: status)
        let after = last ?? status.member("store")?.member("lastSeq")?.int ?? 0
        let counted = try connection?.call(.eventStats) { params in
            params.member(.countAfterSeq, after)
            params.member(.groupBy, ["@name"])
            machines.append(to: &params)
            params.member(.groupLimit, 10_000)
        }
        for group in counted?.member("groups")?.elements ?? [] {
            let name = group.member("by")?.elements.first?.string ?? ""
            news.counts.append((name, group.member("count")?.int ?? 0))
        }
        if let rest = counted?.member("rest")?.member("count")?.int { news.counts.append(("…", rest)) }
        // What was committed before the first question is nobody's news.
        last = counted?.member("seq")?.int ?? after
        let waiting = try connection?.call(.surveyPending)
        news.surveys.count = waiting?.member("surveys")?.elements.count ?? 0
        news.surveys.isMore = waiting?.member("next").map { !$0.isNull } ?? false
        return news
    }
}

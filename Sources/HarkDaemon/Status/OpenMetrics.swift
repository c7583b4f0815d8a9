import HarkDelivery
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// The status in the text format of Prometheus, which all collectors read: types as in its version 0.0.4, where
/// counters are named with their `_total`, and the last line of OpenMetrics, which is a comment for others.
@DaemonActor
enum OpenMetrics {
    static func text(_ report: StatusReport) -> String {
        var text = Text()
        let ledger = report.ledger
        let clients = report.server.statistics
        text.family("hark_build_info", "gauge", "What runs here; the value is 1.")
        text.sample("hark_build_info", 1, labels: [("version", Version.current)])
        text.gauge("hark_uptime_seconds", "Seconds since the start.", report.uptimeSeconds)
        text.gauge(
            "hark_degraded", "1 while the store cannot be written.", ledger.trouble == nil ? 0 : 1)
        text.gauge("hark_store_bytes", "Size of the store's file.", Int(report.storeBytes))
        text.gauge("hark_store_wal_bytes", "Size of the write-ahead log.", Int(report.walBytes))
        text.gauge("hark_store_events", "Events stored.", report.totals.events)
        text.gauge("hark_store_sessions", "Sessions stored.", report.totals.sessions)
        text.gauge(
            "hark_store_unreadable_rows", "Rows that were passed over, as they cannot be read.",
            ledger.store.unreadable.count)
        text.gauge(
            "hark_store_lost_records", "Records, at most, that cannot be read.",
            ledger.store.unreadable.lostRecords)
        text.family(
            "hark_retention_removed_total", "counter", "What rules of retention have removed since the store was made.")
        for (rule, removed) in report.totals.removedByRule.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            for (kind, count) in [
                ("events", removed.events), ("sessions", removed.sessions), ("showings", removed.showings),
                ("texts", removed.texts),
            ] {
                text.sample("hark_retention_removed_total", count, labels: [("rule", rule.rawValue), ("kind", kind)])
            }
        }
        text.counter("hark_records", "Records committed since the start.", report.statistics.records)
        text.counter("hark_requests_refused", "Requests answered with an error.", clients.refused)
        text.counter(
            "hark_events_dropped", "Fire-and-forget events that could not be stored.", report.statistics.dropped)
        text.counter("hark_slow_readers", "Clients cut off because they did not read.", clients.slowReaders)
        text.counter("hark_connections_turned_away", "Clients refused on connecting.", clients.turnedAway)
        text.gauge("hark_connections", "Clients connected.", report.server.connections.count)
        text.gauge("hark_subscriptions", "Streams open.", report.subscriptions)
        if let memory = report.memoryBytes {
            text.gauge("hark_memory_bytes", "Resident memory.", Int(clamping: memory))
        }
        text.family("hark_commit_seconds", "histogram", "Duration of the store's transactions.")
        for (edge, count) in report.statistics.histogram {
            text.sample("hark_commit_seconds_bucket", count, labels: [("le", "\(Double(edge) / 1e6)")])
        }
        text.sample("hark_commit_seconds_bucket", report.statistics.commits, labels: [("le", "+Inf")])
        text.sample("hark_commit_seconds_sum", report.statistics.seconds)
        text.sample("hark_commit_seconds_count", report.statistics.commits)
        text.family("hark_destination_pending", "gauge", "Records a destination has yet to take.")
        for outlet in report.outlets {
            text.sample("hark_destination_pending", outlet.pending, labels: [("destination", outlet.name)])
        }
        text.family("hark_destination_delivered_total", "counter", "Records a destination has taken.")
        for outlet in report.outlets {
            text.sample("hark_destination_delivered_total", outlet.accepted, labels: [("destination", outlet.name)])
        }
        text.family("hark_destination_dropped_total", "counter", "Records a destination will not get, by reason.")
        for outlet in report.outlets {
            for (reason, count) in outlet.dropped.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                text.sample(
                    "hark_destination_dropped_total", count,
                    labels: [("destination", outlet.name), ("reason", reason.rawValue)])
            }
        }
        return text.finished
    }

    private struct Text {
        private var lines = ""

        mutating func family(_ name: String, _ type: String, _ help: String) {
            lines += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
        }

        mutating func sample(_ name: String, _ value: some Numeric, labels: [(String, String)] = []) {
            let inner = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
            lines += inner.isEmpty ? "\(name) \(value)\n" : "\(name){\(inner)} \(value)\n"
        }

        mutating func gauge(_ name: String, _ help: String, _ value: Int) {
            family(name, "gauge", help)
            sample(name, value)
        }

        mutating func counter(_ name: String, _ help: String, _ value: Int) {
            family("\(name)_total", "counter", help)
            sample("\(name)_total", value)
        }

        var finished: String { lines + "# EOF\n" }
    }
}

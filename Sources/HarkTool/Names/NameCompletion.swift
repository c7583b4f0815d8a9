import Glibc
import HarkAsking
import HarkClient
import HarkWire

/// The names of objects in the daemon that begin like a typed word.
///
/// The user has pressed a key and waits, so names that do not arrive within `patience` are not offered, and errors are
/// not shown.
struct NameCompletion {
    let kind: NameKind
    /// The app of counters, executions and waiting surveys, if one is named.
    let app: String?
    let typed: String

    private static let patience = 0.045
    /// The maximum number of completions.
    private static let most = 500
    private static let page: Int64 = 250
    /// The maximum number of objects to search for matches.
    private static let mostSearched = 10_000

    /// Passes each name and its title to `body`.
    func print(_ body: (_ name: String, _ title: String) throws -> Void) throws {
        Self.endInTime()
        for (name, title) in names() {
            let isPlain = [name, title].allSatisfy { !$0.unicodeScalars.contains(where: VisibleText.isHidden) }
            if isPlain, !name.isEmpty { try body(name, title) }
        }
    }

    private func names() -> [(name: String, title: String)] {
        let found = Found()
        found.names = kind.words.filter { $0.hasPrefix(typed) }.map { ($0, "") }
        var source = NameSource(kind: kind, app: app)
        source.most = Self.mostSearched
        source.pageSize = Self.page
        source.isEnough = { found.names.count >= Self.most }
        source.deadline = MonotonicClock.now + Self.patience
        do throws(ClientError) {
            var connection = try Connection()
            try source.forEach(&connection) { thing in
                if thing.id.hasPrefix(typed), found.names.count < Self.most {
                    found.names.append((thing.id, thing.titles.joined(separator: ": ")))
                }
                if kind == .presentation, let survey = thing.titles.first { found.showings[survey, default: 0] += 1 }
            }
        } catch {
            // Offer the names received so far.
        }
        // A survey that waits only once can be named by its own id.
        let surveys = found.showings.filter { $0.value == 1 && $0.key.hasPrefix(typed) }.map { ($0.key, "") }
        return found.names + surveys.sorted { $0.0 < $1.0 }
    }

    /// The names received so far.
    private final class Found {
        var names: [(name: String, title: String)] = []
        /// The number of waiting presentations of each survey.
        var showings: [String: Int] = [:]
    }

    /// Ends this process, wherever it blocks, before the user notices a delay.
    private static func endInTime() {
        signal(SIGALRM) { _ in _exit(0) }
        var timer = itimerval()
        timer.it_value.tv_usec = 50_000
        setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
    }
}

import HarkClient
import HarkWire

extension LiveTable {
    static let counters = LiveTable(
        name: "counters", meaning: "your counters, in the apps that have sessions and in 'default'",
        columns: [
            Column("name", "TEXT", .member(0), "its name"),
            Column(
                "app", "TEXT", .member(1), "the application; other apps can be queried by their names", filter: .app),
            Column("value", "BLOB", .member(2), "its value; arrays and objects are JSON"),
            Column("initial", "BLOB", .member(3), "what it begins with"),
            Column("scope", "TEXT", .member(4), "when it goes back to the initial value: instance, session or app"),
        ],
        members: ["name", "app", "value", "initial", "scope"],
        properties: nil, identity: [0, 1], number: nil,
        open: { feed, conditions, _ in
            guard let filters = ListFilters(conditions) else { return nil }
            return CounterPages(feed, app: filters.app)
        })
}

/// The counters of one app, or of all known apps.
private final class CounterPages: RowSource {
    private let feed: Feed
    private var apps: ArraySlice<String>?
    private var pages: ListPages?

    /// The maximum number of apps. Each costs a request.
    private static let mostApps = 1_000

    init(_ feed: Feed, app: String?) {
        self.feed = feed
        apps = app.map { [$0] }
    }

    func next() throws -> JSONText? {
        while true {
            if let row = try pages?.next() { return row }
            var rest = try apps ?? knownApps()
            guard let app = rest.popFirst() else { return nil }
            apps = rest
            var request = CounterList()
            (request.app, request.limit) = (app, ListPages.size)
            pages = ListPages(feed, "counters", request)
        }
    }

    /// Returns the apps that have sessions, because there is no list of apps.
    private func knownApps() throws -> ArraySlice<String> {
        var apps: Set = ["default"]
        var request = SessionList()
        request.limit = ListPages.size
        let sessions = ListPages(feed, "sessions", request)
        while apps.count < Self.mostApps, let session = try sessions.next() {
            if let app = session.member("app")?.string { apps.insert(app) }
        }
        return apps.sorted()[...]
    }
}

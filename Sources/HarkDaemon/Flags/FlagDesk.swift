import HarkCore
import HarkDelivery
import HarkFleet
import HarkSystem
import HarkWire

/// The flags in force, and the document they come from.
@DaemonActor
final class FlagDesk: Desk {
    private(set) var flags = FlagSet.none
    private let loop: EventLoop
    private let paths: Paths
    private let clock: @Sendable () -> Timestamp
    /// Where the settings have them, and where they are taken from.
    private var wanted: DocumentOrigin?
    private var origin: DocumentOrigin?
    private var source: DocumentSource<FlagSet>?
    private var hasBegun = false
    /// The way out of the machine, as it was told last.
    private var way: NetworkPath.Route?

    init(loop: EventLoop, paths: Paths, clock: @escaping @Sendable () -> Timestamp) {
        self.loop = loop
        self.paths = paths
        self.clock = clock
    }

    func configure(_ settings: Configuration) {
        wanted = settings.origin(of: .flags, in: paths)
    }

    /// Takes the flags from where they are now; looks again if it does so already.
    func reloadDocuments() async {
        if let source, let wanted, wanted.place == origin?.place {
            origin = wanted
            await source.reload(from: wanted)
        } else {
            end()
            flags = .none
            await makeSource(wanted)?.beginAside()
        }
    }

    /// At the start nobody is served yet.
    func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        makeSource(wanted)?.begin()
    }

    var troubles: [Trouble] { (source?.errors ?? []).map { ("flags", $0) } }

    private func makeSource(_ origin: DocumentOrigin?) -> DocumentSource<FlagSet>? {
        self.origin = origin
        guard let origin else { return nil }
        let source = DocumentSource(
            .flags, from: origin, copyPath: paths.state + "/flags.good.json", loop: loop, clock: clock)
        // One that was replaced meanwhile has nothing to say any more.
        source.onChange = { [weak self, weak source] flags throws(WireError) in
            if let self, let source, source === self.source { self.flags = flags }
        }
        self.source = source
        return source
    }

    /// Looks no more; what is in force stays.
    func end() {
        source?.end()
        source = nil
    }

    /// Waits until the flags of an earlier run are in force, so that whoever started the daemon by asking gets them.
    func started() async { await source?.started() }

    /// Looks for new flags now.
    ///
    /// - Returns: what came of it and, where it failed, why.
    func refresh() async -> (outcome: FlagOutcome, problem: String?) {
        guard let source else { return (.nowhere, nil) }
        await source.started()
        let before = flags
        if let problem = await source.refreshNow() { return (.failed, problem) }
        return (flags == before ? .unchanged : .updated, nil)
    }

    /// While there are flags to go on with, a server is not waited for longer.
    private static let patienceSeconds = 2.0
    /// Those who may not have the server asked whenever they like are told what it said so lately.
    private static let freshMilliseconds: Int64 = 10_000

    /// Asks the server, and waits for its answer; where there are flags to go on with, not for long. A file is followed
    /// anyway.
    func ask(for connection: ClientConnection, isUrgent: Bool) async {
        guard let source, let fetching = source.fetching else { return }
        if !isUrgent, let last = fetching.lastAttempt,
            (0..<FlagDesk.freshMilliseconds).contains(clock().milliseconds - last.milliseconds)
        {
            return
        }
        let patience = fetching.isServing ? FlagDesk.patienceSeconds : nil
        let wait = ClientWait(connection, seconds: patience, loop)
        DaemonActor.task {
            _ = await source.refreshNow()
            wait.end()
        }
        await wait.value()
    }

    /// The network has changed: by a new way out, what could not be reached may be there now.
    func networkChanged(_ path: NetworkPath) {
        let isNew = path.defaultRoute != way
        way = path.defaultRoute
        guard isNew, way != nil, let source, source.fetching?.lastError != nil else { return }
        DaemonActor.task { _ = await source.refreshNow() }
    }

    var timerName: String { "flags" }

    /// When the server is asked next.
    var dueAt: Timestamp? { source?.fetching?.nextDue }

    func writeSource(to json: inout JSONWriter) {
        guard let source, let origin else { return json.null() }
        func time(_ name: StaticString, _ time: Timestamp?) {
            json.key(name)
            if let time { json.timestamp(time) } else { json.null() }
        }
        let fetching = source.fetching
        json.beginObject()
        json.key("place")
        json.string(fetching?.url ?? origin.place)
        time("loadedAt", source.status.loadedAt)
        time("checkedAt", fetching.map { $0.lastSuccess } ?? source.status.loadedAt)
        time("dueAt", fetching?.nextDue)
        json.key("isCopy")
        json.bool(fetching?.isCopy ?? source.status.isCopy)
        json.key("problems")
        json.beginArray()
        for issue in source.problems {
            issue.write(to: &json)
        }
        json.endArray()
        json.endObject()
    }
}

import HarkCore
import HarkDelivery
import HarkFleet
import HarkHub
import HarkLedger
import HarkServer
import HarkSettings
import HarkSystem
import HarkWire

/// Holds the flags in force and the document they come from.
@DaemonActor
final class FlagDesk: ConfiguredDesk {
    private(set) var flags = FlagSet.none { didSet { onChange(flags) } }
    /// Called with the flags whenever they may have changed.
    var onChange: (FlagSet) -> Void = { _ in }
    private let loop: EventLoop
    private let paths: Paths
    private let clock: @Sendable () -> Timestamp
    /// The origin in the settings, and the origin in use.
    private var wanted: DocumentOrigin?
    private var origin: DocumentOrigin?
    private var source: DocumentSource<FlagSet>?
    private var hasBegun = false
    /// The default route at the last network change.
    private var way: NetworkPath.Route?

    init(loop: EventLoop, paths: Paths, clock: @escaping @Sendable () -> Timestamp) {
        self.loop = loop
        self.paths = paths
        self.clock = clock
    }

    func configure(_ settings: Configuration) {
        wanted = settings.origin(of: .flags, in: paths)
    }

    /// Applies the current origin; reads the document again if the origin is unchanged.
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

    /// Nobody is served yet, so reading may block.
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
        // A replaced source no longer has any effect.
        source.onChange = { [weak self, weak source] flags throws(WireError) in
            if let self, let source, source === self.source { self.flags = flags }
        }
        self.source = source
        return source
    }

    /// Stops watching; the flags stay in force.
    func end() {
        source?.end()
        source = nil
    }

    /// Waits until the flags of an earlier run are in force, for a client whose request starts the daemon.
    func started() async { await source?.started() }

    /// Refreshes the flags now.
    ///
    /// - Returns: The outcome and, if it failed, the reason.
    func refresh() async -> (outcome: FlagOutcome, problem: String?) {
        guard let source else { return (.nowhere, nil) }
        await source.started()
        let before = flags
        if let problem = await source.refreshNow() { return (.failed, problem) }
        return (flags == before ? .unchanged : .updated, nil)
    }

    /// The longest wait for a server if there are flags to go on with.
    private static let patienceSeconds = 2.0
    /// The age up to which other clients get the server's last answer instead of a new request.
    private static let freshMilliseconds: Int64 = 10_000

    /// Asks the server and waits for the answer; not for long if there are flags in force. A file is watched anyway.
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

    /// Retries a server that was unreachable, if there is a new default route.
    func networkChanged(_ path: NetworkPath) {
        let isNew = path.defaultRoute != way
        way = path.defaultRoute
        guard isNew, way != nil, let source, source.fetching?.lastError != nil else { return }
        DaemonActor.task { _ = await source.refreshNow() }
    }

    var timerName: String { "flags" }

    /// When the server is asked next.
    var dueAt: Timestamp? { source?.fetching?.nextDue }

    /// Where flags come from; nil where none are configured.
    var sourceInfo: FlagSourceInfo? {
        guard let source, let origin else { return nil }
        let fetching = source.fetching
        var info = FlagSourceInfo()
        info.place = fetching?.url ?? origin.place
        info.loadedAt = source.status.loadedAt
        info.checkedAt = fetching.map { $0.lastSuccess } ?? source.status.loadedAt
        info.dueAt = fetching?.nextDue
        info.isCopy = fetching?.isCopy ?? source.status.isCopy
        info.problems = source.problems.map { IssueInfo($0) }
        return info
    }
}

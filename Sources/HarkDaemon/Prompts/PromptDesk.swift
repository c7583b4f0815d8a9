import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// Serves clients that wait for prompts: reports the outcome of each, and withdraws prompts that nobody waits for.
///
/// A prompt without `keep` lives as long as a connection that asked it or waits for it, and a little longer, so that a
/// client whose connection broke or whose daemon was restarted finds it again.
@DaemonActor
final class PromptDesk: Desk {
    private let ledger: Ledger
    private let loop: EventLoop
    /// The connections that asked or wait, by prompt; and the prompts by connection.
    private var holders: [Identifier: Set<ObjectIdentifier>] = [:]
    private var held: [ObjectIdentifier: Set<Identifier>] = [:]
    private var waits: [Identifier: [ClientWait]] = [:]
    /// Prompts without waiting clients, and when they are withdrawn, in microseconds of the monotonic clock.
    private var orphans: [Identifier: UInt64] = [:]
    /// Prompts that end if they cannot be shown.
    private var hasty: Set<Identifier> = []
    private var timer: TimerSource?
    private var isStopping = false

    /// The microseconds for a client to come back after its connection has ended, or the daemon was restarted.
    var graceAfterConnection: UInt64 = 10_000_000
    var graceAfterStart: UInt64 = 60_000_000

    init(ledger: Ledger, loop: EventLoop) {
        self.ledger = ledger
        self.loop = loop
    }

    func begin() throws {
        if timer == nil {
            timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 100_000) { [weak self] in self?.takeBack() }
        }
        let open = try ledger.lookUp { reader throws(StoreError) in try reader.openPrompts() }
        for standing in open { orphan(standing, after: graceAfterStart) }
        wake(Array(waits.keys))
    }

    func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        for row in changes.value.rows {
            switch row {
            case .survey(.putPresentation(let presentation)):
                guard let id = presentation.prompt?.id, !presentation.state.isOpen else { continue }
                wake([id])
                forgetIfOver(id)
            case .survey(.remove): wake(Array(waits.keys))
            default: continue
            }
        }
    }

    func connectionEnded(_ holder: ObjectIdentifier) {
        for id in held.removeValue(forKey: holder) ?? [] {
            holders[id]?.remove(holder)
            guard holders[id]?.isEmpty ?? false else { continue }
            holders[id] = nil
            if let standing = standing(id) { orphan(standing, after: graceAfterConnection) }
        }
    }

    func stop() {
        isStopping = true
        wake(Array(waits.keys))
    }

    func end() {
        timer?.cancel()
        timer = nil
    }

    // MARK: Asking and waiting

    /// Notes that a connection has asked the prompt or waits for it.
    ///
    /// - Parameter isHasty: Whether the prompt ends if it cannot be shown.
    func hold(_ id: Identifier, by connection: ClientConnection, isHasty: Bool = false) {
        guard !connection.isClosed else { return }
        if isHasty { hasty.insert(id) }
        let holder = ObjectIdentifier(connection)
        holders[id, default: []].insert(holder)
        held[holder, default: []].insert(id)
        orphans[id] = nil
    }

    /// Returns once the prompt is closed.
    ///
    /// - Parameter uid: The waiting user; nil may see all prompts.
    func wait(
        for id: Identifier, on connection: ClientConnection, visibleTo uid: UInt32?
    ) async throws(WireError) -> Stored<PromptStanding> {
        // Includes prompts that are decided but not stored yet.
        try await ledger.settle()
        var isHeld = false
        while true {
            let found = try ledger.stored { reader throws(StoreError) in try reader.prompt(id) }
            guard let standing = found.value, uid == nil || uid == standing.prompt.asker else {
                throw WireError(
                    .notFound, isHeld ? "the prompt \(id) was cleared" : "there is no prompt \(id)",
                    path: Params.path("promptId"))
            }
            if standing.state != .open { return found.map { _ in standing } }
            guard !isStopping else { throw WireError(.shuttingDown, "harkd is ending; ask again when it is back") }
            guard connection.isAwaiting else { throw WireError(.internalError, "nobody waits for this") }
            hold(id, by: connection)
            isHeld = true
            let wait = ClientWait(connection, loop)
            waits[id, default: []].append(wait)
            await wait.value()
            // The wait may be over because the client is gone.
            waits[id]?.removeAll { $0 === wait }
            if waits[id]?.isEmpty ?? false { waits[id] = nil }
        }
    }

    private func wake(_ ids: [Identifier]) {
        for wait in ids.flatMap({ waits.removeValue(forKey: $0) ?? [] }) { wait.end() }
    }

    private func standing(_ id: Identifier) -> PromptStanding? {
        do throws(WireError) {
            return try ledger.lookUp { reader throws(StoreError) in try reader.prompt(id) }
        } catch {
            Log.warning("a prompt could not be looked up: \(error.message)")
            return nil
        }
    }

    // MARK: Abandoned prompts

    private func forgetIfOver(_ id: Identifier) {
        guard holders[id] != nil || orphans[id] != nil, standing(id)?.state != .open else { return }
        orphans[id] = nil
        hasty.remove(id)
        for holder in holders.removeValue(forKey: id) ?? [] {
            held[holder]?.remove(id)
            if held[holder]?.isEmpty ?? false { held[holder] = nil }
        }
    }

    /// Ends a prompt that could not be shown, unless it waits for people to come.
    func couldNotShow(_ id: Identifier) {
        guard hasty.remove(id) != nil else { return }
        end(id, .nobody)
    }

    private func orphan(_ standing: PromptStanding, after grace: UInt64) {
        let id = standing.prompt.id
        guard standing.state == .open, !standing.prompt.isKept, holders[id] == nil else { return }
        orphans[id] = min(orphans[id] ?? .max, SystemClock.monotonicMicroseconds + grace)
        rearm()
    }

    private func rearm() {
        timer?.disarm()
        guard !isStopping, let next = orphans.values.min() else { return }
        timer?.arm(atMicroseconds: next)
    }

    private func takeBack() {
        defer { rearm() }
        guard !isStopping else { return }
        let now = SystemClock.monotonicMicroseconds
        for id in orphans.filter({ $0.value <= now }).map(\.key) {
            orphans[id] = nil
            end(id, .abandoned)
        }
    }

    private func end(_ id: Identifier, _ reason: PromptEnd) {
        do throws(WireError) {
            try ledger.decide(needing: .prompt(id)) { engine, changes, now throws(WireError) in
                _ = try engine.cancelPrompt(id, reason: reason, visibleTo: nil, now: now, into: &changes)
            }
        } catch {
            // It was cleared meanwhile, or the store refuses commits and `begin` is called later.
            Log.debug("a prompt that nobody waits for was not cancelled: \(error.message)")
        }
    }
}

import Glibc
import HarkCore
import HarkLedger
import HarkStore
import HarkSystem
import HarkWire

/// One source of the settings: reads the journal from where it was, a helping a commit, and goes on when entries come.
///
/// How far it has read is in the commit of what it has recorded. So a kill, a full disk or a refusal of the store only has it read on
/// from there.
@DaemonActor
final class JournalSource {
    let settings: JournalSourceSettings
    /// Why nothing is read.
    private(set) var problem: String?

    private let ledger: Ledger
    private let loop: EventLoop
    private let files: JournalFiles
    private let query: JournalQuery
    private let scope: Scope
    private let owner: @DaemonActor () -> String?

    private var reader: JournalReader?
    private var watch: IOSource?
    private var timer: TimerSource?
    /// As decided; nil until the store was asked.
    private(set) var place: JournalPlace?
    /// As the store has it.
    private var stored: JournalPlace?
    /// Of a gap that is not recorded yet.
    private var gap: (after: UInt64, until: UInt64)?
    /// Grows with each start of reading, so that a task that has waited over one knows that it is out of date.
    private var run = 0
    private var isReading = false
    /// There may be something that was not looked at.
    private var hasNews = false
    private(set) var hasAll = false
    private var isStopped = false
    private(set) var counts = (taken: 0, refused: 0, gaps: 0)

    /// So often it is noted up to when all was looked at, where nothing was to be recorded.
    private static let betweenNotes: UInt64 = 600_000_000
    private static let betweenTries: UInt64 = 60_000_000

    init(
        _ settings: JournalSourceSettings, ledger: Ledger, loop: EventLoop, isSystem: Bool,
        owner: @escaping @DaemonActor () -> String?
    ) {
        self.settings = settings
        self.ledger = ledger
        self.loop = loop
        self.owner = owner
        // The machine's files belong to root.
        let uid = isSystem ? 0 : getuid()
        files = settings.files(isSystem: isSystem, uid: getuid())
        query = JournalQuery(settings, in: files)
        scope = Scope(uid: uid, app: settings.app)
    }

    /// Reads on from where the store has it.
    func begin() {
        guard !isStopped else { return }
        close()
        do {
            if timer == nil {
                timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 1_000_000) { [weak self] in
                    self?.timeIsUp()
                }
            }
            try takeUp()
            try open()
            problem = nil
        } catch let error as JournalObstacle {
            fail(error.message)
        } catch let error as WireError {
            fail(error.message)
        } catch {
            fail("the journal cannot be read: \(error)")
        }
        read()
    }

    /// Nothing is read any more; up to when all was looked at goes with the last commit.
    func stop() {
        isStopped = true
        if !isReading, hasAll, let isLast = try? reader?.next() == false, isLast { place?.hasAll() }
        if let place, place != stored, !isReading { note(place) }
        close()
        timer?.cancel()
        timer = nil
    }

    private func close() {
        run += 1
        watch?.cancel()
        watch = nil
        reader = nil
        (isReading, hasAll, gap) = (false, false, nil)
    }

    private func fail(_ problem: String) {
        if problem != self.problem {
            Log.warning("a source of the journal is not read: \(problem)", ["source": settings.name])
        }
        self.problem = problem
        watch?.cancel()
        watch = nil
        reader = nil
        if !isStopped { timer?.arm(afterMicroseconds: Self.betweenTries) }
    }

    // MARK: Where it begins

    private func takeUp() throws {
        let key = Engine.journalKey(settings.name)
        let text = try ledger.lookUp { reader throws(StoreError) in try reader.meta(key) }
        stored = text.flatMap { JournalPlace($0) }
        if let stored {
            place = stored
            return
        }
        let beginning: UInt64 =
            switch settings.beginning {
            case .now: SystemClock.realtimeMicroseconds
            case .oldest: 0
            case .time(let time): UInt64(max(0, time.milliseconds)) * 1_000
            }
        let place = JournalPlace(seen: beginning, isNew: true)
        self.place = place
        note(place)
    }

    private func open() throws {
        guard let place else { return }
        if let words = files.obstacle { throw JournalObstacle(message: words) }
        let reader = try JournalReader(files, matching: query.assignments, longest: JournalEntry.longest + 64)
        watch = try loop.watch(reader.descriptor, for: reader.interest) { [weak self] _ in self?.look() }
        self.reader = reader
        guard let cursor = place.cursor else {
            try reader.seek(toMicroseconds: place.seen)
            return lookForGap()
        }
        let isThere: Bool
        do throws(SystemError) {
            isThere = try reader.seek(behind: cursor)
        } catch {
            guard error.code == EINVAL else { throw error }
            isThere = false
            try reader.seek(toMicroseconds: place.seen)
        }
        if !isThere { lookForGap() }
    }

    /// Entries were gone before they were read, where the oldest that is there is younger than what was looked at.
    private func lookForGap() {
        guard let place, !place.isNew, let oldest = reader?.oldestMicroseconds, oldest > place.seen else { return }
        gap = (gap?.after ?? place.seen, oldest)
        self.place?.seen = oldest
    }

    // MARK: Reading

    /// Something has come, or files have gone.
    private func look() {
        guard let reader else { return }
        do throws(SystemError) {
            if case .files = try reader.process(), !hasAll { lookForGap() }
        } catch {
            return fail("the journal cannot be followed: \(error)")
        }
        read()
    }

    private func timeIsUp() {
        if reader == nil { begin() } else { look() }
    }

    private func read() {
        // It may come while what was read before is on its way to the disk.
        hasNews = true
        guard !isReading, !isStopped, reader != nil else { return }
        isReading = true
        let run = run
        DaemonActor.task { [self] in
            while self.run == run, !isStopped, hasNews {
                hasNews = false
                if await takeHelping() { hasNews = true }
            }
            guard self.run == run else { return }
            isReading = false
            if let time = reader?.wakesAtMicroseconds { timer?.arm(atMicroseconds: time) }
        }
    }

    /// Records a helping, and waits until it is on disk: so no more than that is on its way, however much there is to read.
    ///
    /// - Returns: whether there is more.
    private func takeHelping() async -> Bool {
        let run = run
        do {
            guard var place, let reader else { return false }
            let userId = try userIdOfLog()
            let helping = try JournalHelping(
                reader, query, &place, userId: userId, begin: gap.map { [tell($0)] } ?? [])
            self.place = place
            let isFirst = !hasAll && helping.isLast
            hasAll = helping.isLast
            if helping.orders.isEmpty {
                if isFirst || place.seen > (self.stored?.seen ?? 0) + Self.betweenNotes { note(place) }
                // Many passed-over entries must not hold up others either.
                if !helping.isLast { await loop.nextTurn() }
                return !helping.isLast
            }
            let decided = try decide(helping.orders, place)
            let gaps = gap == nil ? 0 : 1
            gap = nil
            let stored = try await decided.stored()
            guard self.run == run else { return false }
            self.stored = place
            counts.gaps += gaps
            counts.taken += helping.orders.count - gaps - stored.value.count
            counts.refused += stored.value.count
            if let refusal = stored.value.first {
                Log.warning("entries of the journal cannot be recorded: \(refusal.message)", ["source": settings.name])
            }
            return !helping.isLast
        } catch let error as WireError {
            // `begin` comes when the store takes commits again, and the timer if it did not refuse one.
            if self.run == run { fail("what is read waits for the store: \(error.message)") }
        } catch {
            if self.run == run { fail("the journal cannot be read: \(error)") }
        }
        return false
    }

    private func userIdOfLog() throws(WireError) -> String {
        guard settings.content == .log else { return "" }
        if let owner = owner() { return owner }
        var id = ""
        // It is in the commit of what is recorded, or in one before.
        try ledger.decideDeviceId(isReset: false).note { id = $0 }
        return id
    }

    private func decide(_ orders: [JournalOrder], _ place: JournalPlace) throws(WireError) -> Decided<[WireError]> {
        let (scope, name, text) = (scope, settings.name, place.text)
        let event = if case .event(let event) = settings.content { event } else { Engine.journalGap }
        let sender = Source(uid: scope.uid, pid: getpid())
        let need = try ledger.need(toRecord: event, in: scope, isUnattended: true)
        return try ledger.decide(needing: .all([.scope(scope)] + (need.map { [$0] } ?? []))) { engine, changes, now in
            engine.takeJournal(orders, upTo: text, of: name, in: scope, by: sender, now: now, into: &changes)
        }
    }

    /// Keeps up to when all was looked at. It only spares a look.
    private func note(_ place: JournalPlace) {
        stored = place
        do throws(WireError) {
            let (key, text) = (Engine.journalKey(settings.name), place.text)
            try ledger.decide { engine, changes, _ in
                engine.remember(text, as: key, isRepeatable: true, into: &changes)
            }
        } catch {
            Log.warning("how far the journal was read was not noted: \(error.message)", ["source": settings.name])
        }
    }

    private func tell(_ gap: (after: UInt64, until: UInt64)) -> JournalOrder {
        func time(_ microseconds: UInt64) -> String {
            Timestamp(milliseconds: Int64(clamping: microseconds / 1_000)).description
        }
        Log.warning(
            "entries of the journal were gone before they were read, between \(time(gap.after)) and \(time(gap.until))",
            ["source": settings.name])
        let properties = Properties([
            ("source", .string(settings.name)), ("after", .string(time(gap.after))),
            ("until", .string(time(gap.until))),
        ])
        return JournalOrder(.event(name: Engine.journalGap, properties), at: ledger.now)
    }

}

import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

/// Random events for the state of a courier, with lists as log, store and server. Work under way ends in any order, at any time.
final class CourierStateWalk {
    private enum Mood: CaseIterable {
        case well, wavering, away, picky
    }

    private let terms: CourierState.Terms
    private let isPatient: Bool
    private var random: SplitMix64
    private var mood = Mood.well
    private var storeRefuses = false
    private var isTimerArmed = false
    private var now = Timestamp(milliseconds: 1_900_000_000_000)
    private var gate: GateState
    private var state: CourierState
    private var underWay: [CourierState.Work] = []
    private var waiting: Set<CourierState.Ticket> = []
    private var lastTicket = 0

    // The log.
    private var records: [Record] = []
    private var sessions: [SessionIdentity] = []
    private var lastRow: Int64 = 0
    private var marked: [SessionIdentity] = []
    private var swept: Set<Int64> = []
    /// The rows of both.
    private var hidden: Set<Int64> = []
    /// Records that the lane was told of.
    private var written = 0

    // The store.
    private var stored = LaneProgress(cursor: 0)
    private var storedBreaker = Breaker()
    private var letters: [UInt64: DeadLetter] = [:]
    private var dueLetters: Set<UInt64> = []

    // The server.
    private var accepted: [UInt64] = []
    private var arrivals: Set<UInt64> = []
    /// Records that were accepted before a crash, without anybody knowing.
    private var repeatable: Set<UInt64> = []

    private var story: [(what: String, number: Int)] = []
    private(set) var faults: [String] = []
    /// The number of non-empty pages that were in memory as they were committed.
    private(set) var pagesAtHand = 0

    init(_ walk: CourierWalk.Terms, seed: UInt64) {
        let destination = walk.destination
        terms = .init(
            destination: destination.name, lane: destination.lane, batch: destination.batch, mostFresh: 5_000)
        isPatient = walk.isPatient
        random = SplitMix64(state: seed)
        gate = GateState(name: "fake", policy: walk.policy, breaker: Breaker(), now: now)
        state = CourierState(terms, stored, isOn: true, newest: 0)
    }

    func walk(steps: Int) {
        for _ in 0..<steps where faults.isEmpty {
            step()
            check()
        }
        if faults.isEmpty { end() }
    }

    private func expect(_ isTrue: Bool, _ fault: @autoclosure () -> String) {
        guard !isTrue else { return }
        let told = story.suffix(20).map { "\($0.what) \($0.number)" }.joined(separator: ", ")
        faults.append("\(fault()); \(state.phase) after \(told)")
    }

    // MARK: What happens

    private func step() {
        guard underWay.isEmpty || random.once(in: 3) else { return finish(random.below(underWay.count)) }
        switch random.below(24) {
        case 0..<7: write()
        case 7: mood = random.pick(Mood.allCases)
        case 8: storeRefuses.toggle()
        case 9:
            handle("timer") {
                if isTimerArmed {
                    isTimerArmed = false
                    return $0.timeIsUp(&$1)
                } else {
                    return []
                }
            }
        case 10, 11: advance(seconds: random.below(400))
        case 12: mark()
        case 13, 14: if let session = marked.first { ask(.forget(session)) }
        case 15: ask(.turn(on: !random.once(in: 3)))
        case 16: ask(random.pick([.keep, .count, .rest]))
        case 17:
            handle("network") { _, gate in
                gate.isOnline.toggle()
                return []
            }
        case 18: handle("flush") { $0.flush(&$1) }
        case 19:
            handle("hurry") { _, gate in
                if random.once(in: 2) { gate.hurry() } else { gate.resume() }
                return []
            }
        case 20: if random.once(in: 4) { restart(isCrash: false) }
        case 21: if random.once(in: 4) { restart(isCrash: true) }
        case 22: if !isPatient { replay() }
        default: handle("begin") { $0.begin(&$1) }
        }
    }

    private func write() {
        var new: [Record] = []
        for _ in 0...random.below(random.once(in: 8) ? 40 : 4) {
            if sessions.count < 2 || random.once(in: 10) {
                lastRow += 1
                sessions.append(
                    SessionIdentity(
                        row: lastRow, id: Identifier(high: 7, low: UInt64(lastRow)), scope: Scope(uid: 1000),
                        userId: nil,
                        startedAt: now, metadata: .none, isImplicit: true))
            }
            let kind = random.pick([Record.Kind.event, .event, .event, .sessionEnded, .log])
            let sequence = UInt64(records.count + new.count + 1)
            new.append(
                Record(
                    sequence: sequence, id: Identifier(high: 9, low: sequence), at: now, kind: kind,
                    session: random.pick(sessions), name: kind == .event ? "event" : "",
                    source: Source(uid: 1000, pid: 1), properties: .none))
        }
        records += new
        let isWanted = state.isOn || !terms.lane.skipsWhileOff
        if isWanted { written += new.count { $0.kind != .log } }
        handle("write", new.count) {
            $0.notice(Arrivals(new), newest: UInt64(records.count), mayPass: $1.breaker.state == .closed)
        }
        if let fresh = state.fresh { expect(fresh.bytes <= terms.mostFresh, "\(fresh.bytes) bytes are at hand") }
        if state.isCrowded { handle("crowded") { $0.flush(&$1) } }
    }

    private func mark() {
        guard let session = sessions.isEmpty ? nil : random.pick(sessions) else { return }
        sessions.removeAll { $0.row == session.row }
        marked.append(session)
        hidden.insert(session.row)
        story.append(("mark", Int(session.row)))
    }

    private func advance(seconds: Int) {
        now = now.adding(milliseconds: Int64(seconds) * 1_000)
        handle("advance", seconds) { _, _ in [] }
        open()
    }

    private func replay() {
        dueLetters = Set(letters.keys)
        state.hasReplays = true
        story.append(("replay", 0))
        open()
    }

    private func ask(_ request: CourierState.Request) {
        lastTicket += 1
        waiting.insert(lastTicket)
        handle("ask", lastTicket) { $0.ask(request, lastTicket, &$1) }
    }

    /// Acts like an outlet when its gate calls.
    private func open() {
        if state.pending != 0 || state.hasReplays { handle("open") { $0.flush(&$1) } }
    }

    /// In a crash, work under way ends unnoticed.
    private func restart(isCrash: Bool) {
        story.append((isCrash ? "crash" : "restart", underWay.count))
        if isCrash {
            for work in underWay {
                switch work {
                case .store(let commit) where isTurn(commit) || random.once(in: 2): keep(commit)
                case .handOver(let parcel, _, _) where random.once(in: 2): _ = deliver(parcel.map(\.sequence))
                default: break
                }
            }
        } else {
            handle("stop") { state, _ in state.stop() }
            storeRefuses = false
            finishAll()
            expect(waiting.isEmpty, "nobody has answered \(waiting)")
        }
        // Everything that the store did not take is lost as well.
        let known = Set(letters.keys).union(stored.done)
        let unknown = arrivals.filter { $0 > stored.cursor && !known.contains($0) && !repeatable.contains($0) }
        expect(
            unknown.count <= terms.batch.entries * terms.batch.concurrency,
            "more than was under way will come again: \(unknown)")
        repeatable.formUnion(unknown)
        repeatable.formUnion(dueLetters)
        underWay = []
        waiting = []
        isTimerArmed = false
        let wasOnline = gate.isOnline
        gate = GateState(name: "fake", policy: gate.policy, breaker: storedBreaker, now: now)
        gate.begin(isNewRun: true)
        gate.isOnline = wasOnline
        state = CourierState(
            terms, LaneProgress(cursor: stored.cursor, packed: stored.packed), isOn: !random.once(in: 4),
            newest: UInt64(records.count))
        state.hasReplays = true
        // Like a start: that a lane was turned on or off is stored before anything else is written.
        stored = state.progress
        handle("begin") { $0.begin(&$1) }
    }

    // MARK: What comes of it

    private func handle(
        _ what: String, _ number: Int = 0, _ event: (inout CourierState, inout GateState) -> [CourierState.Action]
    ) {
        story.append((what, number))
        (gate.now, gate.ageNow, gate.dice) = (now, now, Double(random.below(101)) / 100)
        for action in event(&state, &gate) {
            switch action {
            case .work(let work): begin(work)
            case .arm: isTimerArmed = true
            case .answer(let ticket, _):
                expect(waiting.remove(ticket) != nil, "\(ticket) was answered twice")
            case .tell, .tellOfRemoval, .tellAll, .warn: break
            }
        }
        for duty in gate.takeDuties() { if case .open = duty { open() } }
    }

    private func begin(_ work: CourierState.Work) {
        var parcels: Set<Int64> = []
        var stores = 0
        for other in underWay {
            switch (other, work) {
            case (.handOver(let records, _, _), .handOver): parcels.formUnion(records.map(\.session.row))
            case (.store, .handOver), (.handOver, .store): break
            case (.store, .store): stores += 1
            default: expect(false, "\(work) was begun beside \(other)")
            }
        }
        if case .handOver(let records, _, _) = work {
            expect(parcels.isDisjoint(with: records.map(\.session.row)), "two parcels of a session at a time")
            expect(!records.isEmpty, "nothing is handed over")
        }
        expect(stores == 0, "two accounts at a time")
        underWay.append(work)
    }

    private func finishAll() {
        var count = 0
        while !underWay.isEmpty, count < 100_000, faults.isEmpty {
            finish(random.below(underWay.count))
            count += 1
        }
        expect(underWay.isEmpty, "it does not come to rest")
    }

    private func finish(_ place: Int) {
        let work = underWay.remove(at: place)
        switch work {
        case .handOver(let parcel, _, let chain):
            let outcome = deliver(parcel.map(\.sequence))
            handle("delivered", Int(parcel[parcel.startIndex].sequence)) { $0.delivered(outcome, by: chain, &$1) }
        case .store(let commit):
            let isTaken = isTurn(commit) || !(storeRefuses && random.once(in: 2))
            if isTaken { keep(commit) }
            handle("stored", isTaken ? 1 : 0) { $0.stored(isTaken ? commit : nil, &$1) }
        case .forget(let session):
            expect(!underWay.contains { if case .handOver = $0 { true } else { false } }, "forgotten beside a delivery")
            let fault = random.once(in: 5) ? "the disk is full" : nil
            if fault == nil {
                marked.removeAll { $0.row == session.row }
                swept.insert(session.row)
            }
            handle("forgot", Int(session.row)) { $0.forgot(fault, &$1) }
        case _ where random.once(in: 40): handle("unreadable") { $0.unreadable("the log is gone", &$1) }
        case .count(let progress, let newest, let filter):
            let count = log(after: progress.cursor, upTo: newest, filter).count { !progress.done.contains($0.sequence) }
            handle("counted", count) { $0.counted(count, &$1) }
        case .readPage(let progress, let newest, let filter, let limit, _, let fresh):
            let page = page(progress, upTo: newest, filter, limit: limit)
            check(fresh, is: page, after: progress.cursor, upTo: newest, filter, limit: limit)
            handle("read up to", Int(page.end)) { $0.read(page, &$1) }
        case .readLetters(let limit):
            let due = dueLetters.sorted().prefix(limit).compactMap { letters[$0] }
            let there = due.filter { !hidden.contains($0.session) }.map { records[Int($0.sequence) - 1] }
            handle("read letters", due.count) { $0.read(due, of: there, &$1) }
        case .readRemoved(let session, let filter):
            let all = records.filter { record in
                record.session.row == session.row && record.withView { filter.wants($0, of: record.session) }
            }.map(\.sequence)
            handle("read removed") { $0.read(ofRemoved: all, dead: Set(letters.keys), &$1) }
        }
    }

    /// The records of the store, marked as removed or not.
    private func log(after cursor: UInt64, upTo newest: UInt64, _ filter: DeliveryFilter) -> [Record] {
        records[min(Int(cursor), records.count)..<Int(newest)].filter { record in
            !swept.contains(record.session.row)
                && record.withView { filter.includes($0, of: record.session) }
        }
    }

    private func page(
        _ progress: LaneProgress, upTo newest: UInt64, _ filter: DeliveryFilter, limit: Int
    ) -> DeliveryReader.Page {
        let log = log(after: progress.cursor, upTo: newest, filter)
        let there = log.filter { !hidden.contains($0.session.row) }
        var page = DeliveryReader.Page(
            records: Array(there.prefix(limit)), end: there.count > limit ? there[limit - 1].sequence : newest,
            isLast: there.count <= limit)
        for record in log
        where there.count < log.count && hidden.contains(record.session.row) && !progress.done.contains(record.sequence)
        {
            let known = page.removals.waiting[record.session.row] ?? (0, 0)
            page.removals.waiting[record.session.row] = (known.count + 1, max(known.last, record.sequence))
        }
        if !filter.removed.isEmpty { page.removals.rows = Set(marked.map(\.row)) }
        return page
    }

    /// Pages from memory must equal pages read from the store, except for removals, which the reader leaves out.
    private func check(
        _ fresh: FreshRecords?, is page: DeliveryReader.Page, after cursor: UInt64, upTo newest: UInt64,
        _ filter: DeliveryFilter, limit: Int
    ) {
        guard let known = fresh?.page(after: cursor, upTo: newest, filter, limit: limit, maxBytes: .max) else { return }
        let rows = Set(known.records.map(\.session.row))
        expect(rows.isDisjoint(with: swept), "what was swept away is at hand")
        guard rows.isDisjoint(with: hidden) else { return }
        let (own, other) = (known.records.map(\.sequence), page.records.map(\.sequence))
        expect(own == other, "\(own) are at hand of \(other)")
        expect(known.end == page.end && known.isLast == page.isLast, "the page at hand ends elsewhere")
        if !own.isEmpty { pagesAtHand += 1 }
    }

    /// Until the turning off of a lane is stored, a restart cannot know of it. So here it always is.
    private func isTurn(_ commit: DeliveryCommit) -> Bool { commit.progress.pausedAt != stored.pausedAt }

    private func keep(_ commit: DeliveryCommit) {
        stored = commit.progress
        if let breaker = commit.breaker { storedBreaker = breaker }
        for sequence in commit.redeemed { (letters[sequence], _) = (nil, dueLetters.remove(sequence)) }
        for letter in commit.deadLetters {
            (letters[letter.sequence], _) = (letter, dueLetters.remove(letter.sequence))
        }
    }

    private func deliver(_ parcel: [UInt64]) -> DeliveryOutcome {
        let outcome: DeliveryOutcome =
            switch mood {
            case .well: .accepted
            case .wavering: random.once(in: 3) ? .failed(random.pick([.network, .server])) : .accepted
            case .away: .failed(.unreachable)
            case .picky where isPatient: .accepted
            case .picky:
                switch random.below(8) {
                case 0: .partlyRefused(random.below(parcel.count + 1), reason: "no body")
                case 1: .failed(.tooLarge)
                case 2: .failed(.throttled, status: 429, retryAfter: 60)
                case 3: .failed(random.pick([.unsendable, .unauthorized, .local]))
                default: parcel.contains { $0 % 5 == 0 } ? .failed(.refused, status: 400) : .accepted
                }
            }
        if case .failed = outcome { return outcome }
        for sequence in parcel where !arrivals.insert(sequence).inserted {
            expect(repeatable.contains(sequence) || letters[sequence] != nil, "\(sequence) was accepted twice")
        }
        accepted += parcel
        return outcome
    }

    // MARK: What must be so

    private func check() {
        let progress = state.progress
        if let pending = state.pending {
            let dropped = progress.dropped.values.reduce(0, +)
            expect(
                progress.accepted + dropped + pending == written,
                "\(progress.accepted) + \(progress.dropped) + \(pending) of \(written)")
        }
        expect(state.isResting == underWay.isEmpty, "\(underWay.count) under way")
        guard state.isResting else { return }
        expect(waiting.isEmpty && state.requests.isEmpty, "nobody has answered \(waiting)")
        guard state.isOn, !state.isStopped, state.pending != 0 || state.hasReplays || state.debt != nil else { return }
        switch state.phase {
        case .resting(.timer): expect(isTimerArmed, "no timer")
        case .resting(.gate): expect(gate.breaker.state != .halfOpen, "nobody probes")
        default: expect(false, "what is left waits for nothing")
        }
    }

    private func end() {
        mood = .well
        if !gate.isOnline {
            handle("network") { _, gate in
                gate.isOnline = true
                return []
            }
        }
        restart(isCrash: false)
        ask(.turn(on: true))
        for _ in 0..<1_000 where faults.isEmpty && (!state.isResting || state.pending != 0 || !marked.isEmpty) {
            if let session = marked.first { ask(.forget(session)) }
            handle("resume") { _, gate in
                gate.resume()
                return []
            }
            handle("flush") { $0.flush(&$1) }
            finishAll()
        }
        check()
        expect(state.pending == 0, "\(state.pending ?? -1) are left")
        guard isPatient, terms.lane.maxPending == nil else { return }
        var last: [Int64: UInt64] = [:]
        var seen: Set<UInt64> = []
        for sequence in accepted where seen.insert(sequence).inserted {
            let row = records[Int(sequence) - 1].session.row
            expect(sequence > last[row, default: 0], "session \(row) is out of order")
            last[row] = sequence
        }
        // Records that were accepted before a crash may have been removed before they came again.
        let counted = seen.count - repeatable.count...seen.count
        expect(counted.contains(state.progress.accepted), "\(state.progress.accepted) are accounted for of \(counted)")
    }
}

internal import HarkWire

/// So many things, which take so many bytes in the store.
package struct Amount: Sendable, Equatable {
    package var count: Int
    package var bytes: Int

    package init(count: Int = 0, bytes: Int = 0) {
        self.count = count
        self.bytes = bytes
    }

    static func + (left: Amount, right: Amount) -> Amount {
        Amount(count: left.count + right.count, bytes: left.bytes + right.bytes)
    }

    static func - (left: Amount, right: Amount) -> Amount {
        Amount(count: left.count - right.count, bytes: left.bytes - right.bytes)
    }
}

/// What one user of the machine keeps in all its apps together, of what stays until that user removes it.
package enum Holding: Sendable, CaseIterable {
    /// Apps with a session that is open.
    case apps
    /// Their names and values.
    case counters
    /// Those that were added over the socket.
    case executions
    /// Surveys that are scheduled, ready or shown, with what was begun to be answered of them.
    case presentations
    /// Forms that were begun, by whom, with their drafts and answers.
    case forms
    /// Programs that executions have yet to run, with what they are told.
    case runs
    /// Producers that are known, whose repeated sends are recorded once.
    case producers

    /// What can grow with a change of a counter, or of an execution.
    package static let ofCounters: [Holding] = [.counters, .executions, .presentations, .runs]
}

/// How much of something a user may keep.
struct HoldingBound: Sendable {
    let of: Holding
    let most: Amount
    let things: String
    /// What to do when there are too many, and when they take too much.
    let whenMany: String
    let whenLarge: String

    static let counters = HoldingBound(
        of: .counters, most: Amount(count: Limits.countersPerUser, bytes: Limits.counterBytesPerUser),
        things: "counters",
        whenMany: "use those there are, or remove all that is kept of this user (event.clear with \"all\")",
        whenLarge: "reset some (counter.reset), or give them smaller values")

    static let executions = HoldingBound(
        of: .executions, most: Amount(count: Limits.executionsPerUser, bytes: Limits.executionBytesPerUser),
        things: "executions", whenMany: "remove some (execution.remove)", whenLarge: "remove some (execution.remove)")

    static let presentations = HoldingBound(
        of: .presentations,
        most: Amount(count: Limits.presentationsPerUser, bytes: Limits.presentationBytesPerUser),
        things: "surveys that wait or are shown", whenMany: "answer or dismiss some (survey.pending lists them)",
        whenLarge: "answer or dismiss some that were begun (survey.pending lists them)")

    static let forms = HoldingBound(
        of: .forms, most: Amount(count: .max, bytes: Limits.formBytesPerUser),
        things: "answers and drafts of forms",
        whenMany: "forget some (form.reset, event.clear)",
        whenLarge: "forget those of users who need them no more (form.reset, event.clear)")

    static let runs = HoldingBound(
        of: .runs, most: Amount(count: Limits.runsPerUser, bytes: Limits.runBytesPerUser),
        things: "runs that wait", whenMany: "let executions fire less often, or take less time",
        whenLarge: "let executions fire less often, or take less time")
}

/// Bounds over all apps of a user: those of an app alone would be none, as anybody can make up apps.
///
/// What is held is asked of the store once and counted on from there. It may be off by what one transaction changes, never
/// by more: wherever something goes of which nobody here knows how much it was, the store is asked anew.
extension Engine {
    /// What is to be asked of the store, among some holdings.
    package func unknownHoldings(_ wanted: [Holding], of uid: UInt32) -> [Holding] {
        guard let known = holdings[uid] else { return wanted }
        return wanted.filter { known[$0] == nil }
    }

    /// Brings in what a user keeps.
    package mutating func admit(_ amount: Amount, _ holding: Holding, of uid: UInt32) {
        holdings[uid, default: [:]][holding] = amount
    }

    /// Something changed of which nobody here knows how much it was. Until the store has that, it tells of more than there
    /// is, so what it tells is forgotten once more then.
    ///
    /// - Parameter uid: nil: for everybody.
    mutating func forget(_ forgotten: [Holding], of uid: UInt32?) {
        drop(forgotten, of: uid)
        newForgets.append(ForgottenHoldings(uid: uid, holdings: forgotten))
    }

    struct ForgottenHoldings: Sendable {
        let uid: UInt32?
        let holdings: [Holding]
    }

    mutating func drop(_ dropped: [Holding], of uid: UInt32?) {
        for uid in uid.map({ [$0] }) ?? Array(holdings.keys) {
            for holding in dropped { holdings[uid]?[holding] = nil }
        }
    }

    /// Counts what is new, or gone; where nothing is known yet, the store will tell.
    mutating func hold(_ more: Amount, _ holding: Holding, of uid: UInt32) {
        guard let held = holdings[uid]?[holding] else { return }
        holdings[uid]?[holding] = held + more
    }

    func checkRoomForApp(of uid: UInt32) throws(WireError) {
        guard let held = holdings[uid]?[.apps], held.count >= Limits.appsPerUser else { return }
        throw WireError(
            .tooLarge,
            "this user has open sessions in \(held.count) apps, and may have them in \(Limits.appsPerUser); end some "
                + "(session.end), or record into an app that has one", path: "app")
    }

    /// - Parameters:
    ///   - more: by how much what the user keeps grows.
    ///   - paths: of the member at fault when there are too many, and when they take too much.
    func checkRoom(
        for more: Amount, _ bound: HoldingBound, of uid: UInt32, paths: (many: String, large: String)
    ) throws(WireError) {
        guard let lack = lack(of: bound, uid, more) else { return }
        throw WireError(.tooLarge, lack.words, path: lack.isMany ? paths.many : paths.large)
    }

    /// Why there is no room for more, and whether that is for their number; nil: there is.
    func lack(of bound: HoldingBound, _ uid: UInt32, _ more: Amount) -> (words: String, isMany: Bool)? {
        guard let held = holdings[uid]?[bound.of] else { return nil }
        if more.count > 0, held.count > bound.most.count - more.count {
            return (
                "this user has \(held.count) \(bound.things) over all apps, and may have \(bound.most.count); \(bound.whenMany)",
                true
            )
        }
        if more.bytes > 0, held.bytes > bound.most.bytes - more.bytes {
            return (
                "the \(bound.things) of this user take \(held.bytes) bytes over all apps, and may take "
                    + "\(bound.most.bytes); \(bound.whenLarge)", false
            )
        }
        return nil
    }
}

extension Counter {
    /// How much more the store keeps with this in the place of `before`.
    func growth(over before: Counter?) -> Amount {
        var growth = Amount()
        if before == nil { growth = Amount(count: 1, bytes: name.text.utf8.count) }
        // What is most often the same is not measured.
        if before?.initial != initial { growth.bytes += initial.packed.count - (before?.initial.packed.count ?? 0) }
        if before?.changed != changed {
            growth.bytes += (changed?.packed.count ?? 0) - (before?.changed?.packed.count ?? 0)
        }
        return growth
    }
}

extension AddedExecution {
    /// What the store keeps of it.
    var size: Amount { Amount(count: 1, bytes: key.id.text.utf8.count + execution.document.packed.count) }
}

extension Presentation {
    /// What the store keeps of it while it is open.
    var size: Amount {
        guard state.isOpen else { return Amount() }
        return Amount(count: 1, bytes: answers.isEmpty ? 0 : answers.packed.bytes.count)
    }
}

extension FormState {
    /// What the store keeps of it for a user.
    func size(of user: UserKey, _ form: String) -> Amount {
        let place = (user.userId?.utf8.count ?? 0) + form.utf8.count
        var bytes = place + (draft.isEmpty ? 0 : draft.packed.count)
        for (question, answer) in answers {
            var packed = Answers()
            packed[question.text] = answer.answer
            bytes += place + question.text.utf8.count + packed.packed.bytes.count
        }
        return Amount(count: 1, bytes: bytes)
    }
}

extension ExecutionRun {
    /// About what the store keeps of it while it waits; what ends at once does not wait.
    var size: Amount {
        guard state == .due else { return Amount() }
        let words = if case .exec(let words, _) = action { words.reduce(0) { $0 + $1.utf8.count } } else { 0 }
        return Amount(count: 1, bytes: words + (value?.weight ?? 0) + JSONValue.object(counters).weight)
    }
}

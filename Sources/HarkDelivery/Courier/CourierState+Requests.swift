internal import HarkCore

/// Serves requests of others between two passes.
extension CourierState {
    mutating func ask(_ request: Request, _ ticket: Ticket, _ gate: inout GateState) -> [Action] {
        switch request {
        case .count:
            guard pending == nil else { return [.answer(ticket, Answer())] }
            awaitingCount.append(ticket)
            return isResting ? prepare(.nothing, &gate) : []
        case .rest:
            guard !isResting else { return [.answer(ticket, Answer())] }
            awaitingRest.append(ticket)
            return []
        case .turn(let wanted):
            isWantedOn = wanted
            guard wanted != isOn else { return [.answer(ticket, Answer())] }
        case .keep, .forget, .rewind: break
        }
        requests.append((request, ticket))
        return isResting ? rest(.whenCalled, &gate) : []
    }

    /// Starts the next request that has work to do.
    mutating func serve(_ gate: inout GateState) -> [Action] {
        var actions: [Action] = []
        while isResting, let (request, ticket) = requests.first {
            actions += begin(request, &gate)
            guard isResting else { break }
            actions.append(.answer(ticket, Answer()))
            requests.removeFirst()
        }
        return actions
    }

    private mutating func begin(_ request: Request, _ gate: inout GateState) -> [Action] {
        // The successor of a stopped courier keeps its own progress.
        if isStopped { return [] }
        switch request {
        case .turn:
            // Later requests may have turned it on or off again.
            guard isOn != isWantedOn else { return [] }
            isOn = isWantedOn
            forgetFresh()
            guard terms.lane.skipsWhileOff else { return [] }
            // If the store refuses this, the next commit includes it.
            progress.turn(on: isOn, at: newest)
            debt?.progress.turn(on: isOn, at: newest)
        case .forget(let session): return prepare(.forget(session), &gate)
        case .rewind(let sequence):
            guard sequence < progress.cursor else { return [] }
            progress.rewind(to: sequence)
            debt?.progress.rewind(to: sequence)
            forgetFresh()
            // The pending records are counted again.
            pending = nil
        case .keep: break
        case .count, .rest: return []
        }
        return store(debt ?? Account(progress), then: .request, gate)
    }

    /// Ends the current request.
    mutating func finish(_ answer: Answer, _ gate: inout GateState) -> [Action] {
        let ticket = requests.removeFirst().ticket
        return [.answer(ticket, answer)] + rest(.whenCalled, &gate)
    }

    mutating func counted(_ count: Int, _ gate: inout GateState) -> [Action] {
        guard case .counting(let before, let task) = phase else { return [] }
        pending = count + arrived - before
        return answerCount() + prepare(task, &gate)
    }

    private mutating func answerCount() -> [Action] {
        defer { awaitingCount = [] }
        return awaitingCount.map { .answer($0, Answer()) }
    }

    /// Handles a failure to read the log.
    mutating func unreadable(_ reason: String, _ gate: inout GateState) -> [Action] {
        switch phase {
        case .readingRemoved: return finish(Answer(reason: reason), &gate)
        case .counting(_, .forget): return answerCount() + note(reason) + finish(Answer(reason: reason), &gate)
        case .counting: return answerCount() + fail(reason, &gate)
        case .readingLetters: hasReplays = true
        default: break
        }
        return fail(reason, &gate)
    }

    // MARK: Removals

    /// - Parameters:
    ///   - sequences: The records of the session that the lane wants, all of which were reported to it.
    ///   - dead: Those among them that are dead letters.
    mutating func read(ofRemoved sequences: [UInt64], dead: Set<UInt64>, _ gate: inout GateState) -> [Action] {
        guard case .readingRemoved(let session) = phase else { return [] }
        guard !isStopped else { return finish(Answer(), &gate) }
        // Of dropped records, only the dead letters are known individually; the others may have been sent.
        let isKnown =
            progress.accepted > 0
            && sequences.contains {
                $0 > progress.first && ($0 <= progress.cursor || progress.done.contains($0)) && !dead.contains($0)
            }
        let counted = max(progress.cursor, progress.removed[session.row] ?? 0)
        let waiting = sequences.filter { $0 > counted && $0 <= newest && !progress.done.contains($0) }
        guard let last = waiting.max() else { return forget(session, hadReceived: isKnown) }
        var next = progress
        next.remove(session: session.row, waiting: waiting.count, upTo: last)
        var outcomes = Outcomes(settled: waiting.count)
        outcomes.results = [(sequences, .failure(CourierState.gone))]
        return store(Account(next, outcomes), then: .forget(session, hadReceived: isKnown), gate)
    }

    mutating func forget(_ session: SessionIdentity, hadReceived: Bool) -> [Action] {
        phase = .forgetting(hadReceived: hadReceived)
        return [.work(.forget(session))]
    }

    mutating func forgot(_ fault: String?, _ gate: inout GateState) -> [Action] {
        guard case .forgetting(let hadReceived) = phase else { return [] }
        return finish(Answer(reason: fault, hadReceived: hadReceived), &gate)
    }
}

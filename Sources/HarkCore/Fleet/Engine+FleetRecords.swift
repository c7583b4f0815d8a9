package import HarkWire

/// What only the hub of a fleet has to know: it becomes records of the log, so that it goes there like all others, in order
/// and once. Where no fleet is configured there are no such records.
extension Engine {
    /// Records what became of a presentation that ends.
    ///
    /// It lies in the session in which it was shown last, so that a clear takes both along; where that is over, or it was
    /// never shown, in a session for entries of its user.
    mutating func recordClosing(
        of presentation: Presentation, source: Source, now: Timestamp, into changes: inout Changes
    ) {
        guard recordsForFleet else { return }
        let presentation = presentation.told(to: nil)
        let session =
            openSession(of: presentation)
            ?? sessionForEntry(of: presentation.user.userId, in: presentation.scope, now: now, into: &changes)
        _ = append(
            .presentation, of: session, name: presentation.recordName, properties: presentation.recordProperties,
            source: source, at: now, into: &changes)
    }

    /// The session in which a presentation was shown last, if it goes on.
    private func openSession(of presentation: Presentation) -> SessionIdentity? {
        guard let id = presentation.session else { return nil }
        if let own = presentation.ownSession, own.id == id { return own }
        guard let current = sessions.current(presentation.scope)?.identity, current.id == id else { return nil }
        return current
    }

    /// Records that something was cleared; to be called after the clear, in the same changes.
    ///
    /// It lies in a session of its own that no clear means: else the next one would take back what the hub was not sent yet.
    ///
    /// - Parameter selection: what was cleared, as `clear` returned it.
    package mutating func recordClear(
        _ selection: Selection, source: Source, now: Timestamp, into changes: inout Changes
    ) {
        guard recordsForFleet else { return }
        let session = makeSessionForEntries(
            of: nil, in: Scope(uid: source.uid, app: ClearNotice.app), outlastsClears: true, now: now, into: &changes)
        let notice = ClearNotice(selection, key: session.id)
        _ = append(
            .clear, of: session, properties: notice.recordProperties, source: source, at: now, into: &changes)
    }

    /// Keeps what became of a presentation on another machine. It counts in results and histories and for nothing else:
    /// nothing is triggered, told or gated by it.
    ///
    /// One that is known already by its id, or that belongs to a prompt of somebody else here, is left as it is: so it can be
    /// taken over again, and no machine changes what another has, or what belongs to this one.
    ///
    /// - Parameters:
    ///   - presentation: as `Presentation(record:)` read it.
    ///   - renamed: sessions of the machine that have another id here, with that. The presentation goes with its session.
    ///   - uid: under which the machine is known here. Whoever asked a prompt there is that one as well, as uids of the other
    ///     machine mean nobody here.
    /// - Throws: `invalidParams` for one that is open: nothing here would ever end it.
    package mutating func takeOverPresentation(
        _ presentation: Presentation, uid: UInt32, renamed: [Identifier: Identifier] = [:], into changes: inout Changes
    ) throws(WireError) {
        guard !presentation.state.isOpen else {
            throw WireError(.invalidParams, "a presentation is taken over once it is closed, this one is not")
        }
        var taken = presentation
        taken.user = UserKey(uid: uid, userId: presentation.user.userId)
        taken.origin = renamed[presentation.origin] ?? presentation.origin
        taken.session = presentation.session.map { renamed[$0] ?? $0 }
        taken.ownSession = nil
        // Nobody here may change them.
        taken.changeableUntil = nil
        taken.prompt = presentation.prompt.map { prompt in
            Prompt(id: prompt.id, asker: uid, isKept: prompt.isKept, question: prompt.question)
        }
        changes.rows.append(.survey(.takeOver(taken)))
    }
}

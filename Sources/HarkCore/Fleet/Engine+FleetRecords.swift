package import HarkWire

/// Records that only the hub of a fleet needs. They go into the log, so that they reach the hub like all others, in
/// order and once. Without a configured fleet there are none.
extension Engine {
    /// Records the outcome of a presentation that ends.
    ///
    /// The record goes into the session in which the presentation was last shown, so that a clear removes both. If that
    /// session is over, or the presentation was never shown, it goes into a session for entries of its user.
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

    /// The session in which a presentation was last shown, if it is still open.
    private func openSession(of presentation: Presentation) -> SessionIdentity? {
        guard let id = presentation.session else { return nil }
        if let own = presentation.ownSession, own.id == id { return own }
        guard let current = sessions.current(presentation.scope)?.identity, current.id == id else { return nil }
        return current
    }

    /// Records a clear. Call it after the clear, with the same changes.
    ///
    /// The record goes into a session of its own that no clear covers; else the next clear would remove a record that
    /// was not sent to the hub yet.
    ///
    /// - Parameter selection: the cleared selection, as `clear` returned it.
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

    /// Stores a presentation of another machine. It counts in results and histories and nowhere else: it triggers
    /// nothing, causes no notification and limits no survey.
    ///
    /// A presentation stays as it is if its id is known already, or if it belongs to a prompt of another user here. So
    /// the call can be repeated, and no machine can change the presentations of another one or of this one.
    ///
    /// - Parameters:
    ///   - presentation: as `Presentation(record:)` read it.
    ///   - session: the session, here, of the record that contained the presentation.
    ///   - renamed: sessions of the machine that have another id here, with that id. The presentation moves with its session.
    ///   - uid: the uid of the machine here. It also replaces the asker of a prompt, because uids of another machine have no
    ///     meaning here.
    /// - Throws: `invalidParams` for an open presentation: nothing here would ever end it.
    package mutating func takeOverPresentation(
        _ presentation: Presentation, uid: UInt32, of session: Identifier? = nil,
        renamed: [Identifier: Identifier] = [:], into changes: inout Changes
    ) throws(WireError) {
        guard !presentation.state.isOpen else {
            throw WireError(.invalidParams, "a presentation is taken over once it is closed, this one is not")
        }
        var taken = presentation
        taken.user = UserKey(uid: uid, userId: presentation.user.userId)
        // The origin of a study's prompt is its enrolment, which is not known here.
        let origin = renamed[presentation.origin] ?? presentation.origin
        taken.origin = presentation.times.sampling == nil ? origin : session ?? origin
        taken.session = presentation.session.map { renamed[$0] ?? $0 }
        taken.ownSession = nil
        // The answers cannot be changed here.
        taken.changeableUntil = nil
        taken.prompt = presentation.prompt.map { prompt in
            Prompt(id: prompt.id, asker: uid, isKept: prompt.isKept, question: prompt.question)
        }
        changes.rows.append(.survey(.takeOver(taken)))
    }
}

package import HarkWire

/// The daemon's own data in the store, and the removal of data. Neither depends on the state of the engine; both go through it
/// all the same, because decisions have one way to the disk.
extension Engine {
    /// Keeps a text of the daemon's own under a key.
    ///
    /// - Parameter isRepeatable: whether a power cut may undo it, because then some work is only repeated.
    package func remember(
        _ value: String, as key: String, isRepeatable: Bool = false, into changes: inout Changes
    ) {
        let row = Changes.Row.setMeta(key: key, value: value)
        if isRepeatable { changes.appendRepeatable(row) } else { changes.rows.append(row) }
    }

    /// Keeps the progress of a destination's lane.
    ///
    /// - Parameter isRepeatable: whether a power cut may undo it, because then some work is only repeated.
    package func keepPlace(
        of destination: String, cursor: UInt64, state: Properties, isRepeatable: Bool = false,
        into changes: inout Changes
    ) {
        let row = Changes.Row.other(DeliveryRow.setDestination(name: destination, cursor: cursor, state: state))
        if isRepeatable { changes.appendRepeatable(row) } else { changes.rows.append(row) }
    }

    /// Keeps records that were refused for good, the newest `keep` of a destination. A power cut may undo it, together with the
    /// progress of the lane.
    package func keepDeadLetters(
        _ letters: [DeadLetter], of destination: String, atMost keep: Int, into changes: inout Changes
    ) {
        changes.appendRepeatable(.other(DeliveryRow.putDeadLetters(letters)))
        changes.appendRepeatable(.other(DeliveryRow.trimDeadLetters(destination: destination, keep: keep)))
    }

    /// Forgets dead letters that were accepted after all, as `keepDeadLetters` keeps them.
    package func redeemDeadLetters(_ numbers: [UInt64], of destination: String, into changes: inout Changes) {
        changes.appendRepeatable(.other(DeliveryRow.removeDeadLetters(destination: destination, numbers)))
    }

    /// Forgets dead letters; nil for all of the destination.
    package mutating func dropDeadLetters(_ numbers: [UInt64]?, of destination: String, into changes: inout Changes) {
        keep(DeliveryRow.removeDeadLetters(destination: destination, numbers), into: &changes)
    }

    /// Schedules another try of dead letters; nil for all of the destination.
    package mutating func replayDeadLetters(_ numbers: [UInt64]?, of destination: String, into changes: inout Changes) {
        keep(DeliveryRow.replayDeadLetters(destination: destination, numbers), into: &changes)
    }

    /// Marks the sessions of a clear, or the rest of them; some at a time.
    package func remove(_ selection: Selection, into changes: inout Changes) {
        changes.upkeep.append(.remove(selection))
    }

    /// Marks the sessions in these rows as removed.
    ///
    /// - Parameter rule: the rule of retention that removes them, which is counted; nil: none.
    /// - Returns: the place of their count in the report of the commit.
    package func mark(_ rows: [Int64], by rule: RetentionRule? = nil, into changes: inout Changes) -> Int {
        changes.upkeep.append(.mark(rows, rule))
        return changes.upkeep.count - 1
    }

    /// Deletes the closed showings of surveys in these rows.
    ///
    /// - Parameter rule: as of `mark`.
    /// - Returns: the place of their count in the report of the commit.
    package func removeShowings(_ rows: [Int64], by rule: RetentionRule?, into changes: inout Changes) -> Int {
        changes.upkeep.append(.removeShowings(rows, rule))
        return changes.upkeep.count - 1
    }

    /// Replaces the free texts of the closed showings in these rows by marks.
    ///
    /// - Returns: the place of their count in the report of the commit.
    package func redactTexts(_ rows: [Int64], into changes: inout Changes) -> Int {
        changes.upkeep.append(.redactTexts(rows))
        return changes.upkeep.count - 1
    }

    /// Notes that no file has the texts of the showings in these rows any more.
    package func noteRedacted(_ rows: [Int64], into changes: inout Changes) -> Int {
        changes.upkeep.append(.noteRedacted(rows))
        return changes.upkeep.count - 1
    }

    /// Returns the ages from which a policy, and the surveys' own rules, no longer keep closed showings.
    package func showingRetention(_ policy: RetentionPolicy, uid: UInt32?, now: Timestamp) -> ShowingRetention {
        var retention = ShowingRetention(uid: uid, cutoff: policy.answerCutoff(now: now))
        for survey in surveys.configuration.surveys {
            if let keep = survey.keepAnswers {
                retention.ownCutoffs[ExactName(survey.id)] = now.adding(milliseconds: -keep)
            }
            if let redact = survey.redactTexts {
                retention.textCutoffs[ExactName(survey.id)] = now.adding(milliseconds: -redact)
            }
        }
        return retention
    }

    /// Deletes at most `maxBlocks` blocks of a marked session, and the session itself with the last of them.
    package func sweep(sessionRow: Int64, maxBlocks: Int, into changes: inout Changes) {
        changes.upkeep.append(.sweep(sessionRow: sessionRow, maxBlocks: maxBlocks))
    }

    /// Returns at most `maxPages` free pages to the file system.
    package func shrink(maxPages: Int, into changes: inout Changes) {
        changes.upkeep.append(.shrink(maxPages: maxPages))
    }
}

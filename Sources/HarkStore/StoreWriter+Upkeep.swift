internal import HarkCore
internal import HarkWire

/// Removal: sessions are first marked and later deleted in batches, with the families' data about them.
extension StoreWriter {
    func perform(_ upkeep: [Changes.Upkeep], report: inout CommitReport) throws(StoreError) {
        var retired: Set<Retirement> = []
        for piece in upkeep {
            // Thousands of sessions may have started, each with the same piece of upkeep; it runs once.
            if case .retire(let policy, let scope, _) = piece,
                !retired.insert(Retirement(policy: policy, scope: scope)).inserted
            {
                report.marked.append(CommitReport.Marked())
            } else {
                try perform(piece, report: &report)
            }
        }
    }

    private struct Retirement: Hashable {
        let policy: RetentionPolicy
        let scope: RetentionScope
    }

    private func perform(_ upkeep: Changes.Upkeep, report: inout CommitReport) throws(StoreError) {
        report.marked.append(CommitReport.Marked())
        switch upkeep {
        case .remove(let selection):
            try sessions.mark(selection, report: &report)
        case .retire(let policy, let scope, let now):
            try sessions.retire(policy, of: scope, now: now, report: &report)
        case .mark(let rows, let rule):
            try sessions.mark(rows, by: rule, report: &report)
        case .removeShowings(let rows, let rule):
            var removed = CommitReport.Marked()
            removed.showings = try surveys.removeShowings(rows)
            report.marked[report.marked.count - 1] = removed
            guard let rule else { return }
            try RuleRemovals.add(removed, by: rule, database)
            report.removedByRule[rule, default: CommitReport.Marked()] += removed
        case .redactTexts(let rows):
            let redactor = TextRedactor(database: database)
            var redacted = CommitReport.Marked()
            for row in rows { redacted.texts += try redactor.redact(row) }
            report.marked[report.marked.count - 1] = redacted
            try RuleRemovals.add(redacted, by: .age, database)
            report.removedByRule[.age, default: CommitReport.Marked()] += redacted
        case .noteRedacted(let rows):
            let note = try database.prepare("UPDATE presentation SET redacted = 2 WHERE row = ? AND redacted = 1")
            for row in rows { try note.bind(1, row).run() }
        case .sweep(let row, let maxBlocks):
            try sweep(row, maxBlocks: maxBlocks, report: &report)
        case .shrink(let maxPages):
            let before = try database.integer("PRAGMA freelist_count") ?? 0
            try database.execute("PRAGMA incremental_vacuum(\(maxPages))")
            report.freedPages += Int(before - (try database.integer("PRAGMA freelist_count") ?? 0))
        }
    }

    private func sweep(_ row: Int64, maxBlocks: Int, report: inout CommitReport) throws(StoreError) {
        let swept = try records.sweep(sessionRow: row, maxBlocks: min(maxBlocks, mostBlocksSwept))
        report.sweptEvents += swept.events
        guard swept.isEmpty else { return }
        // The session goes last, because the family writers read it.
        for family in families { try family.sweep(sessionRow: row) }
        try sessions.sweep(row)
        report.sweptSessions.append(row)
    }
}

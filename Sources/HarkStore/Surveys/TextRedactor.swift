internal import HarkCore
internal import HarkWire

/// Replaces the free texts of a showing's answers by a mark: in its row, and in the records about it in the log.
///
/// The column `redacted` of a showing is 0 before, 1 until files with the events are rewritten, and then 2.
struct TextRedactor {
    let database: Database

    /// How long before the showing closed a session for entries with a record of it may have begun, in milliseconds.
    private static let entriesMilliseconds = Engine.logSessionGraceMilliseconds

    /// - Returns: the number of texts replaced.
    func redact(_ row: Int64) throws(StoreError) -> Int {
        let found = try database.prepare(
            """
            SELECT id, survey, closed, answers, uid, user, coalesce(session, origin) FROM presentation
            WHERE row = ? AND state >= 3 AND redacted = 0
            """
        ).bind(1, row)
        guard try found.step(), let id = found.withBytes(0, { Identifier(raw: $0) }) else { return 0 }
        let answers = found.withBytes(3) { Answers(packed: $0) }
        let texts = answers.freeTexts.count
        try database.prepare("UPDATE presentation SET answers = ?, redacted = ? WHERE row = ?")
            .bind(1, answers.redacted.packed.bytes).bind(2, texts > 0 ? 1 : 2).bind(3, row).run()
        guard texts > 0 else { return 0 }
        let showing = RedactedShowing(
            id: id, survey: found.text(1) ?? "", closedAt: found.timestamp(2), answers: answers)
        let user = found.text(5) ?? ""
        let sessions = try database.prepare(
            """
            SELECT row FROM session WHERE id = ?1
            UNION SELECT row FROM session
            WHERE uid = ?2 AND user IS ?3 AND implicit >= 2 AND started BETWEEN ?4 AND ?5
            """
        ).bind(1, found.bytes(6)).bind(2, found.integer(4)).bind(3, user.isEmpty ? nil : user)
            .bind(4, showing.closedAt.milliseconds - Self.entriesMilliseconds).bind(5, showing.closedAt.milliseconds)
        while try sessions.step() { try redact(showing, inSession: sessions.integer(0)) }
        return texts
    }

    private func redact(_ showing: RedactedShowing, inSession row: Int64) throws(StoreError) {
        let blocks = try database.prepare(
            """
            SELECT first, data FROM block WHERE earliest <= ?2 AND latest >= ?2
                AND first IN (SELECT first FROM block_of_session WHERE session = ?1)
            """
        ).bind(1, row).bind(2, showing.closedAt.milliseconds)
        var changed: [(first: Int64, bytes: [UInt8])] = []
        while try blocks.step() {
            let first = blocks.integer(0)
            if let bytes = blocks.withBytes(1, { Self.redacted($0, showing, row) }) { changed.append((first, bytes)) }
        }
        let update = try database.prepare("UPDATE block SET checksum = ?, data = ? WHERE first = ?")
        for (first, bytes) in changed {
            try update.bind(1, Int64(bitPattern: bytes.withUnsafeBytes(Checksum.of))).bind(2, bytes).bind(3, first)
                .run()
        }
    }

    /// The bytes of a block without the texts; nil if the block has no record of the showing, or cannot be read.
    private static func redacted(
        _ bytes: UnsafeBufferPointer<UInt8>, _ showing: RedactedShowing, _ row: Int64
    ) -> [UInt8]? {
        guard var reader = BlockReader(bytes) else { return nil }
        let session = reader.standIn(row: row)
        var records: [Record] = []
        var isChanged = false
        while let view = reader.next() {
            let record = Record(view, of: session)
            guard let properties = showing.properties(redacting: record) else {
                records.append(record)
                continue
            }
            isChanged = true
            records.append(record.with(properties))
        }
        guard isChanged, !reader.isDamaged else { return nil }
        return BlockBuilder.bytes(of: records)
    }
}

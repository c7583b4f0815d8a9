import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// Producers in the file.
@Suite struct StoredProducerTests {
    private func put(_ id: String, _ number: Int64, _ record: Record, _ store: StoreUnderTest) throws {
        let recorded = Recorded(id: record.id, sequence: record.sequence, sessionId: record.session.id)
        var changes = Changes()
        changes.records = [record]
        changes.producers = [
            ProducerRow(
                producer: Producer(id, in: record.session.scope),
                mark: ProducerMark(number: number, sequence: record.sequence, recorded: recorded))
        ]
        try store.commit(changes)
    }

    @Test("how far a producer has come is there with its record, and stays when the record goes")
    func marks() throws {
        let store = try StoreUnderTest()
        let session = try store.add("ada")
        let till = Producer("till-1", in: session.scope)
        #expect(try store.reader.mark(of: till) == nil)
        try put("till-1", 3, store.makeRecord(session, "sold"), store)
        let record = store.makeRecord(session, "sold")
        try put("till-1", .max, record, store)
        try store.reopen()
        let mark = try #require(try store.reader.mark(of: till))
        #expect(mark.number == .max && mark.sequence == record.sequence)
        #expect(mark.recorded == Recorded(id: record.id, sequence: record.sequence, sessionId: session.id))
        for other in [Producer("till-1", in: Scope(uid: 1, app: "default")), Producer("TILL-1", in: session.scope)] {
            #expect(try store.reader.mark(of: other) == nil)
        }
        let selection = Selection(target: .user("ada"), uid: nil, upToRow: session.row)
        try store.commit(upkeep: [.remove(selection)])
        #expect(
            try store.reader.mark(of: till) == ProducerMark(number: .max, sequence: record.sequence, recorded: nil))
        try store.commit(rows: [.other(ProducerRemoval.all(uid: 7))])
        #expect(try store.reader.mark(of: till) != nil)
        try store.commit(rows: [.other(ProducerRemoval.all(uid: 1000))])
        #expect(try store.reader.mark(of: till) == nil)
    }

    @Test("of too many, those that recorded last stay")
    func trim() throws {
        let store = try StoreUnderTest()
        let session = try store.add()
        let other = try store.add(uid: 7)
        for number in 1...20 { try put("p\(number)", 1, store.makeRecord(session), store) }
        try put("p2", 2, store.makeRecord(session), store)
        try put("other", 1, store.makeRecord(other), store)
        try store.commit(rows: [.other(ProducerRemoval.trim(uid: 1000, keep: 5))])
        var kept: [Int] = []
        for number in 1...20 where try store.reader.mark(of: Producer("p\(number)", in: session.scope)) != nil {
            kept.append(number)
        }
        #expect(kept == [2, 17, 18, 19, 20])
        #expect(try store.reader.amount(of: .producers, 1000) == Amount(count: 5))
        #expect(try store.reader.mark(of: Producer("other", in: other.scope)) != nil)
        try store.commit(rows: [.other(ProducerRemoval.trim(uid: 1000, keep: 5))])
        #expect(try store.reader.amount(of: .producers, 1000) == Amount(count: 5))
    }

    @Test("a number that cannot be is an error, and not one to go on from")
    func damaged() throws {
        let store = try StoreUnderTest()
        try store.writer.database.execute("INSERT INTO producer VALUES (1000, 'default', 'till-1', -5, 1)")
        let error = #expect(throws: StoreError.self) {
            try store.reader.mark(of: Producer("till-1", in: Scope(uid: 1000)))
        }
        #expect(error?.code == .damaged)
    }
}

import HarkWire
import Testing

@testable import HarkCore

/// Which scopes stay in memory.
@Suite struct SessionBookTests {
    private func scope(_ number: Int) -> Scope { Scope(uid: UInt32(number), app: "app") }

    private func session(_ number: Int) -> Session {
        Session(
            SessionIdentity(
                row: Int64(number), id: Identifier(high: 0, low: UInt64(number)), scope: scope(number), userId: nil,
                startedAt: Timestamp(milliseconds: 0), metadata: .none, isImplicit: false))
    }

    @Test("a million scopes do not stay, but what was just brought in does")
    func bounded() {
        var book = SessionBook()
        for number in 0..<20_000 {
            book.admit(scope(number), current: session(number))
            #expect(book.current(scope(number))?.identity.row == Int64(number))
        }
        let loaded = (0..<20_000).filter { book.isLoaded(scope($0)) }
        #expect(loaded == Array((20_000 - SessionBook.capacity)..<20_000))
    }

    @Test("a scope whose change the store does not hold yet is never dropped")
    func unsettled() {
        var book = SessionBook()
        let changed = (0..<100).map { $0 * 7 }
        for number in changed {
            book.admit(scope(number), current: nil)
            book.setCurrent(scope(number), session(number))
        }
        // Half of them are on their way to the store, the others not even that.
        book.handOver()
        for number in changed.prefix(50) { book.setCurrent(scope(number), nil) }
        for number in 100_000..<120_000 { book.admit(scope(number), current: nil) }
        #expect(changed.allSatisfy { book.isLoaded(scope($0)) })
        #expect(changed.prefix(50).allSatisfy { book.current(scope($0)) == nil })
        #expect(changed.dropFirst(50).allSatisfy { book.current(scope($0))?.identity.row == Int64($0) })

        // Stored changes may go; later ones may not.
        book.settle()
        for number in 200_000..<260_000 { book.admit(scope(number), current: nil) }
        #expect(changed.prefix(50).allSatisfy { book.isLoaded(scope($0)) })
        #expect(!changed.dropFirst(50).allSatisfy { book.isLoaded(scope($0)) })
    }

    @Test("a scope is found by the id of its current session")
    func byId() {
        var book = SessionBook()
        book.admit(scope(1), current: session(1))
        book.admit(scope(2), current: nil)
        #expect(book.scope(ofCurrent: Identifier(high: 0, low: 1)) == scope(1))
        #expect(book.scope(ofCurrent: Identifier(high: 0, low: 2)) == nil)
    }

    @Test("a scope without a session counts as loaded, one never heard of does not")
    func loaded() {
        var book = SessionBook()
        book.admit(scope(1), current: nil)
        #expect(book.isLoaded(scope(1)))
        #expect(!book.isLoaded(scope(2)))
    }
}

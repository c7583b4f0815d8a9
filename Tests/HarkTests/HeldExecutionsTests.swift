import Synchronization
import Testing

@testable import Hark

/// The executions of the library: which are evaluated, and when (row D6, C4).
@Suite struct HeldExecutionsTests {
    /// Executions that look whenever they are asked to, and note that; they never run.
    private final class Scene: Sendable {
        private let seen = Mutex<[String]>([])

        func execution(_ id: String, _ names: [String], keepAlive: Bool = true, holds: Bool = false) -> Execution {
            Execution(
                id: id, names: names, keepAlive: keepAlive,
                condition: { [weak self] _, values in
                    self?.seen.withLock { $0.append("\(id) \(values.integer(for: names[0]) ?? -1)") }
                    return holds
                }, perform: { _, _ in })
        }

        /// The evaluated executions since the last time, with the values that they saw.
        func look() -> [String] {
            seen.withLock { seen in
                defer { seen = [] }
                return seen
            }
        }
    }

    private let scene = Scene()
    private var table = HeldExecutions()

    private mutating func begin(_ values: [String: Value], revision: Int64 = 0) -> Int {
        table.take(.all(values, initial: [], revision: revision)).count
    }

    private mutating func announce() throws -> EarlyChange {
        let change = table.announce("a")
        return try #require(change)
    }

    @Test("C4: it is looked at when a counter it listens to is triggered or set, not for another and not for a reset")
    mutating func listening() {
        _ = table.add(scene.execution("x", ["a", "b", "a"]), validate: false)
        #expect(begin(["a": 0, "b": 0]) == 0)
        #expect(scene.look() == [])
        _ = table.take(.changed("a", 1, isTrigger: true))
        _ = table.take(.changed("c", 1, isTrigger: true))
        _ = table.take(.changed("a", 0, isTrigger: false))
        _ = table.take(.changed("b", 5, isTrigger: true))
        #expect(scene.look() == ["x 1", "x 0"])
    }

    @Test("C4: once it holds it runs and is gone, unless it is kept alive", arguments: [true, false])
    mutating func once(_ keepAlive: Bool) {
        _ = table.add(scene.execution("x", ["a"], keepAlive: keepAlive, holds: true), validate: false)
        _ = begin(["a": 0])
        #expect(table.take(.changed("a", 1, isTrigger: true)).count == 1)
        #expect(table.take(.changed("a", 2, isTrigger: true)).count == (keepAlive ? 1 : 0))
        #expect(table.ids == (keepAlive ? ["x"] : []))
    }

    @Test("C4: it is looked at when it is added only if it is to be validated immediately, before values are known too")
    mutating func validated() {
        #expect(table.add(scene.execution("early", ["a"], holds: true), validate: true).isEmpty)
        #expect(table.add(scene.execution("not", ["a"], holds: true), validate: false).isEmpty)
        #expect(begin(["a": 7]) == 1)
        #expect(scene.look() == ["early 7"])
        #expect(table.add(scene.execution("late", ["a"], holds: true), validate: true).count == 1)
        #expect(table.add(scene.execution("never", ["a"], holds: true), validate: false).isEmpty)
        #expect(scene.look() == ["late 7"])
        #expect(begin(["a": 7]) == 0)
    }

    @Test("C4: of those that took each other's place before the values were known, the last is validated, if it wants")
    mutating func replacedEarly() {
        _ = table.add(scene.execution("x", ["a"], holds: true), validate: true)
        _ = table.add(scene.execution("x", ["a"], holds: true), validate: true)
        _ = table.add(scene.execution("y", ["a"], holds: true), validate: true)
        _ = table.add(scene.execution("y", ["a"], holds: true), validate: false)
        _ = table.add(scene.execution("z", ["a"], holds: true), validate: true)
        table.remove("z")
        #expect(begin(["a": 1]) == 1)
        #expect(scene.look() == ["x 1"])
    }

    @Test("what is removed is not looked at, and an id names one at a time")
    mutating func removed() {
        _ = table.add(scene.execution("x", ["a"]), validate: false)
        _ = table.add(scene.execution("x", ["b"]), validate: false)
        #expect(table.ids == ["x"])
        _ = begin(["a": 0, "b": 0])
        _ = table.take(.changed("a", 1, isTrigger: true))
        #expect(scene.look() == [])
        _ = table.take(.changed("b", 3, isTrigger: true))
        #expect(scene.look() == ["x 3"])
        #expect(table.remove("x") && !table.remove("x"))
        _ = table.take(.changed("b", 4, isTrigger: true))
        #expect(scene.look() == [])
    }

    @Test("a change made before the values are known is looked at once, whether the first values hold it or not")
    mutating func early() throws {
        _ = table.add(scene.execution("x", ["a"]), validate: false)
        let first = try announce()
        let second = try announce()
        let third = try announce()
        let refused = try announce()
        #expect(table.announce("b") == nil)
        // A later listener does not hear earlier events.
        _ = table.add(scene.execution("late", ["a"]), validate: false)
        // The answer may come before the first values, or after them.
        #expect(table.answer(first, revision: 4).isEmpty)
        #expect(scene.look() == [])
        _ = begin(["a": 2], revision: 5)
        #expect(scene.look() == ["x 2"])
        _ = table.answer(second, revision: 5)
        #expect(scene.look() == [])
        // This change is not in them, so it is reported like any other.
        _ = table.take(.changed("a", 3, isTrigger: true))
        _ = table.answer(third, revision: 6)
        _ = table.answer(refused, revision: nil)
        #expect(scene.look() == ["x 3", "late 3"])
        #expect(table.announce("a") == nil)
    }

    @Test("a value from a run before is not looked at for a change that comes after it")
    mutating func notEarly() throws {
        _ = table.add(scene.execution("third", ["a"], holds: true), validate: false)
        let change = try announce()
        #expect(begin(["a": 3], revision: 8) == 0)
        #expect(table.answer(change, revision: 9).isEmpty)
        #expect(scene.look() == [])
    }

    @Test("after a time without the daemon, what has changed counts as changed now; what was reset does not")
    mutating func away() {
        _ = table.add(scene.execution("x", ["a"]), validate: false)
        _ = table.add(scene.execution("y", ["b"]), validate: false)
        _ = table.add(scene.execution("z", ["c"]), validate: false)
        _ = begin(["a": 1, "b": 1, "c": 1])
        _ = table.take(.all(["a": 2, "b": 0, "c": 1], initial: ["b"], revision: 0))
        #expect(scene.look() == ["x 2"])
    }
}

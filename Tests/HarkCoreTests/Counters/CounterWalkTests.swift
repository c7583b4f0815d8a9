import HarkCore
import HarkTesting
import HarkWire
import Testing

/// The engine compared with the plain model, with late commits, a store that refuses, restarts and clears.
@Suite struct CounterWalkTests {
    static let scopes = [Scope(uid: 1000), Scope(uid: 1000, app: "kiosk"), Scope(uid: 2000)]
    static let names = ["a", "b", "c"]
    static let users: [String?] = [nil, "ada"]
    static let values: [JSONValue] = [0, 1, 2, 3, 1.5, "x", true, nil, [1]]

    struct Walk {
        var stage = Stage()
        var model = CounterModel()
        /// The model at the last commit.
        var committed = CounterModel()
        var random: SplitMix64

        init(seed: UInt64) {
            random = SplitMix64(state: seed)
        }

        mutating func pick<Element>(_ all: [Element]) -> Element { all.randomElement(using: &random)! }

        mutating func condition() -> Condition {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: .always
            case 1: .all([.atLeast(pick(names), 1), .atLeast(pick(names), 2)])
            case 2: .any([.equal(pick(names), pick(values)), .atLeast(pick(names), 3)])
            case 3: .not(.equal(pick(names), pick(values)))
            default: .atLeast(pick(names), 2)
            }
        }

        /// Performs one step on both sides, and returns a word for it.
        mutating func step() throws -> String {
            let scope = pick(scopes)
            let name = pick(names)
            // Executions are ordered by when they came.
            stage.now = stage.now.adding(milliseconds: 1)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<12:
                let (initial, lifetime) = (pick(values), pick(CounterLifetime.allCases))
                try stage.register(name, initial, lifetime, in: scope)
                model.register(name, initial, lifetime, in: scope)
                return "register \(name) \(initial) \(lifetime)"
            case 12..<45:
                expect(try? stage.trigger(name, in: scope), model.trigger(name, in: scope))
                return "trigger \(name)"
            case 45..<55:
                let value = pick(values)
                expect(try? stage.set(name, value, in: scope), model.set(name, value, in: scope))
                return "set \(name) \(value)"
            case 55..<60:
                let one = Bool.random(using: &random) ? name : nil
                _ = try? stage.reset(one, in: scope)
                model.reset(one, in: scope)
                return "reset \(one ?? "all")"
            case 60..<63:
                try stage.background(scope)
                model.resetInstances(in: scope)
                return "background"
            case 63..<75:
                let execution = Execution.sample(
                    pick(["x", "y", "z"]), name, pick(names), when: condition(),
                    keepAlive: Bool.random(using: &random))
                try stage.add(execution, in: scope)
                model.add(execution, in: scope)
                return "add \(execution.id)"
            case 75..<78:
                let id = pick(["x", "y", "z"])
                let isThere = model.scopes[scope]?.executions.contains { $0.id.text == id } ?? false
                #expect(((try? stage.remove(id, in: scope)) != nil) == isThere)
                model.scopes[scope]?.executions.removeAll { $0.id.text == id }
                return "remove \(id)"
            case 78..<82:
                let user = pick(users)
                try stage.startSession(user, in: scope)
                model.startSession(user, in: scope)
                return "start a session"
            case 82..<84:
                stage.endSession(in: scope)
                model.endSession(in: scope)
                return "end a session"
            case 84..<86:
                let user = pick(users)
                stage.clear(.user(user), uid: nil)
                model.clear(user: user)
                return "clear \(user ?? "anonymous")"
            case 86:
                stage.clear(.all, uid: 1000)
                for scope in scopes where scope.uid == 1000 { model.scopes[scope] = nil }
                return "clear all"
            case 87..<90:
                stage.restart()
                model = committed
                return "the store refuses"
            case 90..<93:
                stage.startDaemonAnew()
                model = committed
                model.startDaemonAnew()
                committed = model
                return "the daemon starts anew"
            default:
                stage.commit()
                stage.commitsEachStep.toggle()
                return "commit"
            }
        }

        private func expect(_ fired: [String]?, _ expected: [String]?) { #expect(fired == expected) }

        mutating func check(_ note: Comment) {
            if stage.changes.isEmpty { committed = model }
            for scope in scopes {
                // Looking loads the scope. It is not always done, so that all steps also happen to scopes that are not loaded.
                guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
                #expect(stage.values(in: scope) == model.values(in: scope), note)
            }
            guard stage.changes.isEmpty else { return }
            for scope in scopes {
                let stored = stage.disk.counters.executions.filter { $0.key.scope == scope }
                    .sorted { $0.addedAt < $1.addedAt }
                #expect(stored.map(\.execution) == model.scopes[scope]?.executions ?? [], note)
            }
        }
    }

    @Test(
        "C1 C2 C4: whatever is done in whatever order, counters and executions do as the model does", arguments: 0..<200
    )
    func walk(seed: UInt64) throws {
        var walk = Walk(seed: seed)
        var log: [String] = []
        for number in 0..<150 {
            log.append(try walk.step())
            walk.check("seed \(seed), step \(number): \(log.suffix(8))")
        }
    }
}

import Foundation
import HarkCore
import HarkWire
import Testing

@Suite struct ExecutionReadingTests {
    private static func read(_ text: String) throws -> (execution: Execution?, issues: DocumentIssues) {
        Execution.read(try Samples.json(text), path: "$", isConfigured: true)
    }

    @Test("C4: an execution is read with all its members")
    func whole() throws {
        let read = try Self.read(
            #"{"id":"x","app":"shop","listensTo":["a","b"],"when":{"any":[{"a":1},{"not":{"b":{"op":"exists"}}}]},"#
                + #""run":{"exec":["notify","now"],"timeoutSeconds":5},"keepAlive":true,"validateImmediately":true}"#)
        var expected = Execution.sample(
            "x", "a", "b", when: .any([.equal("a", 1), .not(.value("b", Matcher(.exists)))]),
            run: .exec(["notify", "now"], timeoutSeconds: 5), keepAlive: true, validateImmediately: true)
        expected.app = "shop"
        #expect(read.execution == expected && read.issues == DocumentIssues())
    }

    @Test("C4: 'changed' with a list asks which counter it is; with a matcher, it is a counter of that name")
    func changed() throws {
        let list = try Self.read(#"{"id":"x","when":{"all":[{"changed":["a","b"]},{"a":1}]},"run":{"notify":true}}"#)
        let expected = Condition.all([.changed(["a", "b"]), .equal("a", 1)])
        #expect(list.execution == .sample("x", "a", "b", when: expected) && list.issues == DocumentIssues())
        #expect(
            list.execution.map { Condition.read($0.condition.document, path: "$", seesChange: true).condition }
                == expected)
        let name = try Self.read(#"{"id":"x","when":{"changed":1},"run":{"notify":true}}"#)
        #expect(name.execution == .sample("x", "changed", when: .equal("changed", 1)))
        let deaf = try Self.read(#"{"id":"x","listensTo":["a"],"when":{"changed":["b"]},"run":{"notify":true}}"#)
        #expect(deaf.issues.warnings.map(\.path) == ["$.listensTo"])
        for wrong in ["[]", "[1]", #"[""]"#] {
            let read = try Self.read(
                #"{"id":"x","listensTo":["a"],"when":{"changed":\#(wrong)},"run":{"notify":true}}"#)
            #expect(read.execution == nil && read.issues.errors.map(\.path) == ["$.when.changed"])
        }
        // A survey's trigger sees no change of a counter.
        #expect(Condition.read(["changed": ["a"]], path: "$").condition == nil)
    }

    @Test("C4: what is left out has a meaning: the counters of the condition, always, once, not at once, a minute")
    func defaults() throws {
        #expect(
            try Self.read(#"{"id":"x","when":{"a":2,"b":1},"run":{"exec":["true"]}}"#).execution
                == .sample(
                    "x", "a", "b", when: .all([.equal("a", 2), .equal("b", 1)]),
                    run: .exec(["true"], timeoutSeconds: 60))
        )
        #expect(
            try Self.read(#"{"id":"x","listensTo":["a"],"run":{"notify":true}}"#).execution == .sample("x", "a"))
    }

    @Test(
        "C4: what is wrong is told with its place",
        arguments: [
            (#"{"listensTo":["a"],"run":{"notify":true}}"#, "$"), (#"[]"#, "$"),
            (#"{"id":" ","listensTo":["a"],"run":{"notify":true}}"#, "$.id"),
            (#"{"id":"x","listensTo":[],"run":{"notify":true}}"#, "$.listensTo"),
            (#"{"id":"x","listensTo":["a","a"],"run":{"notify":true}}"#, "$.listensTo[1]"),
            (#"{"id":"x","listensTo":"a","run":{"notify":true}}"#, "$.listensTo"),
            (#"{"id":"x","run":{"notify":true}}"#, "$.listensTo"),
            (#"{"id":"x","when":{"a":{"op":"gt","value":"1"}},"run":{"notify":true}}"#, "$.when.a.value"),
            (#"{"id":"x","listensTo":["a"]}"#, "$"), (#"{"id":"x","listensTo":["a"],"run":{}}"#, "$.run"),
            (#"{"id":"x","listensTo":["a"],"run":{"notify":true,"survey":"s"}}"#, "$.run"),
            (#"{"id":"x","listensTo":["a"],"run":{"notify":false}}"#, "$.run.notify"),
            (#"{"id":"x","listensTo":["a"],"run":{"exec":"ls"}}"#, "$.run.exec"),
            (#"{"id":"x","listensTo":["a"],"run":{"exec":[]}}"#, "$.run.exec"),
            (#"{"id":"x","listensTo":["a"],"run":{"exec":["a",1]}}"#, "$.run.exec"),
            (#"{"id":"x","listensTo":["a"],"run":{"exec":["a"],"timeoutSeconds":0}}"#, "$.run.timeoutSeconds"),
            (#"{"id":"x","listensTo":["a"],"run":{"notify":true,"timeoutSeconds":9}}"#, "$.run.timeoutSeconds"),
            (#"{"id":"x","listensTo":["a"],"run":{"notify":true},"keepAlive":1}"#, "$.keepAlive"),
        ])
    func faults(_ text: String, _ path: String) throws {
        let read = try Self.read(text)
        #expect(read.execution == nil)
        #expect(read.issues.errors.contains { $0.path == path }, "\(read.issues.errors)")
    }

    @Test("names that are too long, and definitions that are too large, are refused")
    func bounds() throws {
        let long = String(repeating: "n", count: 257)
        for text in [
            #"{"id":"\#(long)","listensTo":["a"],"run":{"notify":true}}"#,
            #"{"id":"x","listensTo":["\#(long)"],"run":{"notify":true}}"#,
            #"{"id":"x","listensTo":["a"],"run":{"exec":["\#(String(repeating: "w", count: 65_536))"]}}"#,
        ] {
            #expect(try Self.read(text).execution == nil)
        }
    }

    @Test("an unknown member is told")
    func unknown() throws {
        let read = try Self.read(#"{"id":"x","listensTo":["a"],"run":{"notify":true,"loud":1},"color":1}"#)
        #expect(read.issues.warnings.map(\.path) == ["$.run.loud", "$.color"])
    }
}

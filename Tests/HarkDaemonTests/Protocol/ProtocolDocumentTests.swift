import Foundation
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkServer

/// The documentation says all there is to say, and nothing else.
@Suite struct ProtocolDocumentTests {
    @Test("docs/protocol.md is what harkd --describe prints")
    func isPrinted() throws {
        let folder = URL(fileURLWithPath: #filePath).pathComponents.prefix { $0 != "Tests" }.joined(separator: "/")
        let file = try String(contentsOfFile: "\(folder)/docs/protocol.md", encoding: .utf8)
        #expect(file == ProtocolDocument.text, "run 'make docs'")
    }

    @Test("packaging/schema/openrpc.json is what harkd --describe --json prints")
    func isDescribed() throws {
        let folder = URL(fileURLWithPath: #filePath).pathComponents.prefix { $0 != "Tests" }.joined(separator: "/")
        let file = try String(contentsOfFile: "\(folder)/packaging/schema/openrpc.json", encoding: .utf8)
        #expect(file == OpenRPC.text, "run 'make docs'")
    }

    @Test("rpc.discover tells the document that harkd --describe --json prints")
    func isDiscovered() async throws {
        try await DaemonFixture.run { fixture in
            let told = try await fixture.connect().call("rpc.discover")
            #expect(told == (try JSONReader.read(OpenRPC.text)))
            #expect(told["methods"]?.arrayValue?.count == MethodRegistry.all.count)
        }
    }

    @Test("a name of a shape means one shape")
    func names() {
        var found: [(name: String, shape: Shape)] = []
        for method in MethodRegistry.all {
            for type in method.parameters.map(\.type) + method.result.map(\.type) { type.collect(into: &found) }
        }
        #expect(found.count == Set(found.map(\.name)).count && found.count > 10)
    }

    @Test("every method has an example", arguments: MethodRegistry.all)
    func hasExample(_ method: Method) {
        #expect(!method.examples.isEmpty)
    }

    @Test("the members of the examples are the members of the result table", arguments: MethodRegistry.all)
    func members(_ method: Method) throws {
        var shown: Set<String> = []
        var always = Set(method.result.map(\.name))
        for example in method.examples {
            let result = try JSONReader.read(example.result)
            let keys = Set(result.objectValue?.keys ?? [])
            shown.formUnion(keys)
            always.formIntersection(keys)
        }
        let optional = method.result.filter(\.isOptional).map(\.name)
        // Members that appear only in rare states, such as a full disk or a server that answers, or on a hub, are in no example.
        let rare = [
            "believedTime", "degradedReason", "truncated", "delivered", "unreached", "error", "droppedProperties",
            "droppedMetadata",
        ]
        // The example explains no event that came, as its checks would be the same and two more.
        let ofEvents = method.name == "survey.explain" ? ["event"] : []
        // A machine without a `look` of its own has none to show.
        let ofLooks = method.name == "survey.look" ? ["accent", "background", "logo"] : []
        let ofHubs = [
            "machines", "machineCount", "hereCount", "behindCount", "heldCount", "clears", "refused", "next",
        ]
        #expect(
            shown.union(rare + ofEvents + ofLooks + (method.name == "fleet.status" ? ofHubs : [])).isSuperset(
                of: method.result.map(\.name))
        )
        #expect(shown.isSubset(of: method.result.map(\.name)))
        // Members for administrators alone are in each example.
        if !shown.contains("text") {
            #expect(always.isSuperset(of: Set(method.result.map(\.name)).subtracting(optional)))
        }
    }

    @Test("every link leads to a heading")
    func links() {
        let text = ProtocolDocument.text
        let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
            ProtocolDocument.anchor(String(line.drop { $0 == "#" }.dropFirst()))
        }
        let links = text.split(separator: "](#").dropFirst().map { String($0.prefix { $0 != ")" }) }
        #expect(links.count > MethodRegistry.all.count)
        #expect(Set(links).subtracting(headings) == [])
        #expect(Set(headings).count == headings.count)
    }

    @Test("every reason of an error is in the table of errors", arguments: ErrorReason.allCases)
    func table(reason: ErrorReason) {
        #expect(ProtocolDocument.errors.contains("| \(reason.code) | `\(reason.rawValue)` |"))
    }

    @Test("every reason of an error has a code of its own")
    func codes() {
        #expect(Set(ErrorReason.allCases.map(\.code)).count == ErrorReason.allCases.count)
    }
}

extension Method: CustomTestStringConvertible {
    /// Its name, in the output of tests that go through all of them.
    public var testDescription: String { name }
}

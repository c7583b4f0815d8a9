import HarkServer
import HarkSystem
import HarkWire
import Testing

@testable import HarkDaemon

/// Which of several faults of a request is told: that of the parameter described first.
@Suite struct FirstFaultTests {
    /// Their handlers read the params themselves: in the order of the request, or as a document.
    private static let byHand: Set = ["event.record", "execution.add"]
    /// Of no type that a parameter has.
    private static let misfit = JSONValue.array([.array([])])

    @Test(
        "of two parameters of the wrong type, the one described first is told, whatever their order in the request",
        arguments: MethodRegistry.all.filter { !FirstFaultTests.byHand.contains($0.name) })
    func first(_ method: Method) async throws {
        let example = try #require(method.examples.first).params
        let params = try #require(try read(#"{"method":"x","params":\#(example)}"#).params?.objectValue)
        let names = method.parameters.filter { parameter in
            // What may be of several types is judged by its meaning.
            if case .either = parameter.type { return false }
            return !parameter.type.faults(in: Self.misfit).isEmpty
        }.map(\.name)
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            for (told, other) in zip(names, names.dropFirst()) {
                for names in [[told, other], [other, told]] {
                    var wrong = params
                    for name in names { wrong[name] = nil }
                    for name in names { wrong[name] = Self.misfit }
                    let error = try await client.ask(method.name, JSONValue.object(wrong).description)["error"]
                    #expect(error?["data"]?["path"] == .string("$.params.\(told)"), "\(method.name) \(names)")
                }
            }
        }
    }
}

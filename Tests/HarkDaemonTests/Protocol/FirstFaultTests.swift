import HarkServer
import HarkSystem
import HarkWire
import Testing

@testable import HarkDaemon

/// Which of several faults of a request is told: that of the parameter described first.
@Suite struct FirstFaultTests {
    /// Their handlers read the params themselves: in the order of the request, or as a document.
    private static let byHand: Set = ["event.record", "execution.add"]

    /// A value that the type refuses. The elements of an array may be judged later, by their meaning.
    private static func misfit(of type: Shape) -> JSONValue {
        if case .array = type { .bool(true) } else { .array([.array([])]) }
    }

    @Test(
        "of two parameters of the wrong type, the one described first is told, whatever their order in the request",
        arguments: MethodRegistry.all.filter { !FirstFaultTests.byHand.contains($0.name) })
    func first(_ method: Method) async throws {
        let example = try #require(method.examples.first).params
        let params = try #require(try read(#"{"method":"x","params":\#(example)}"#).params?.objectValue)
        let misfits = method.parameters.compactMap { parameter -> (String, JSONValue)? in
            // A value that may be of several types is judged by its meaning.
            if case .either = parameter.type { return nil }
            let misfit = Self.misfit(of: parameter.type)
            return parameter.type.faults(in: misfit).isEmpty ? nil : (parameter.name, misfit)
        }
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            for (told, other) in zip(misfits, misfits.dropFirst()) {
                for pair in [[told, other], [other, told]] {
                    var wrong = params
                    for (name, _) in pair { wrong[name] = nil }
                    for (name, misfit) in pair { wrong[name] = misfit }
                    let error = try await client.ask(method.name, JSONValue.object(wrong).description)["error"]
                    #expect(error?["data"]?["path"] == .string("$.params.\(told.0)"), "\(method.name) \(pair)")
                }
            }
        }
    }
}

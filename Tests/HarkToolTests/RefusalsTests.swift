import Testing

@testable import HarkTool

@Suite struct RefusalsTests {
    @Test("what differs from line to line makes no other kind of refusal")
    func kinds() {
        #expect(
            Refusals.kind(of: "the property 'a' must be shorter, this one has 300 ($.properties.a)")
                == Refusals.kind(of: "the property 'it, 7' must be shorter, this one has 41 ($.properties.it)"))
        #expect(Refusals.kind(of: "not a JSON object") != Refusals.kind(of: "not UTF-8"))
    }
}

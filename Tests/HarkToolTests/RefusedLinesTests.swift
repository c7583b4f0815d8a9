import Testing

@testable import HarkTool

@Suite struct RefusedLinesTests {
    @Test("what differs from line to line makes no other kind of refusal")
    func kinds() {
        #expect(
            RefusedLines.kind(of: "the property 'a' must be shorter, this one has 300 ($.properties.a)")
                == RefusedLines.kind(of: "the property 'it, 7' must be shorter, this one has 41 ($.properties.it)"))
        #expect(RefusedLines.kind(of: "not a JSON object") != RefusedLines.kind(of: "not UTF-8"))
    }
}

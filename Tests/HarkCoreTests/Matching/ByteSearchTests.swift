import HarkWire
import Testing

@testable import HarkCore

/// Searches in texts of every kind (row S3).
@Suite(.timeLimit(.minutes(45))) struct ByteSearchTests {
    private static func place(of part: [UInt8], in text: [UInt8]) -> Int? {
        text.withUnsafeBufferPointer { text in part.withUnsafeBufferPointer { ByteSearch.first($0, in: text) } }
    }

    @Test("what is found is what trying every place finds", arguments: 0..<20)
    func random(_ seed: Int) {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            // Few letters, so that beginnings come again and again.
            let text = (0..<Int.random(in: 0...30)).map { _ in UInt8.random(in: 97...98, using: &random) }
            let part = (0..<Int.random(in: 0...6)).map { _ in UInt8.random(in: 97...98, using: &random) }
            let expected =
                part.count <= text.count
                ? (0...text.count - part.count).first { Array(text[$0..<$0 + part.count]) == part } : nil
            #expect(Self.place(of: part, in: text) == expected, "\(part) in \(text)")
        }
    }

    @Test("a long text that looks like the part everywhere is gone through once")
    func adversary() {
        let text = JSONValue.string(String(repeating: "a", count: 65_000))
        let part = JSONValue.string(String(repeating: "a", count: 25_000) + "b")
        let start = ContinuousClock.now
        for _ in 0..<20 { #expect(!Matcher(.contains, part).matches(text)) }
        // Trying every place takes more than a billion comparisons each time.
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("a name is compared with a pattern of many stars in time proportional to both")
    func pattern() {
        let pattern = NamePattern(String(repeating: "*aaaaaaaaab", count: 5_000) + "*")
        var name = String(repeating: "a", count: 100_000)
        let start = ContinuousClock.now
        for _ in 0..<20 { #expect(!name.withUTF8 { pattern.matches($0) }) }
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}

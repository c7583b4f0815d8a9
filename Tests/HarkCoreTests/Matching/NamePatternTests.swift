import HarkCore
import Testing

/// Names of events with `*`.
@Suite struct NamePatternTests {
    private func matches(_ pattern: String, _ name: String) -> Bool {
        var name = name
        return name.withUTF8 { NamePattern(pattern).matches($0) }
    }

    @Test(
        "a pattern matches",
        arguments: [
            ("tap", "tap"), ("*", ""), ("*", "anything"), ("**", "x"), ("tap*", "tap"), ("tap*", "tap_twice"),
            ("*tap", "tap"), ("*tap", "button_tap"), ("*a*", "a"), ("*a*", "bab"), ("a*b", "ab"), ("a*b", "axxb"),
            ("a*b*c", "abc"), ("a*b*c", "a_b_b_c"), ("a*bb*c", "abbbc"), ("*aab*", "aaab"), ("*_*_*", "a_b_c"),
            ("", ""),
            ("caf\u{e9}*", "caf\u{e9}s"), ("a.c", "a.c"), ("[a]*", "[a]b"),
        ])
    func matching(_ pattern: String, _ name: String) {
        #expect(matches(pattern, name))
    }

    @Test(
        "a pattern does not match",
        arguments: [
            ("tap", "taps"), ("tap", "Tap"), ("", "a"), ("tap*", "ta"), ("*tap", "tap_"), ("a*a", "a"),
            ("ab*ba", "aba"),
            ("a*b*c", "acb"), ("*aab*", "aba"), ("a*b*b", "ab"), ("a.c", "abc"), ("[a]", "a"), ("a?c", "abc"),
            ("caf\u{e9}", "cafe\u{301}"),
        ])
    func notMatching(_ pattern: String, _ name: String) {
        #expect(!matches(pattern, name))
    }
}

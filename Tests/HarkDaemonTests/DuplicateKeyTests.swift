import HarkDaemon
import HarkServer
import HarkTesting
import HarkWire
import Testing

@Suite("Duplicate keys")
struct DuplicateKeyTests {
    private func line(keys: [String], inner: String = "0") -> String {
        #"{"method":"m","params":{"# + keys.map { "\"\($0)\":\(inner)" }.joined(separator: ",") + "}}"
    }

    @Test("are found in objects of every size, at every pair of places", arguments: [2, 3, 7, 8, 9, 10, 16, 17, 40])
    func everyPair(count: Int) {
        let keys = (0..<count).map { "key\($0)" }
        #expect(refuse(line(keys: keys)) == nil)
        for first in 0..<count {
            for second in 0..<first {
                var twice = keys
                twice[first] = keys[second]
                #expect(refuse(line(keys: twice))?.error.path == "$.params.key\(second)")
            }
        }
    }

    @Test("keys that are alike but not the same are no duplicates")
    func alike() {
        let keys = ["", "a", "A", "aa", "ab", "a\\u0000", "a\\u0000a", "á", "a\\u0301", "key1", "key10", "key1 "]
        #expect(refuse(line(keys: keys)) == nil)
        #expect(refuse(line(keys: Array(keys.prefix(7)))) == nil)
        #expect(refuse(line(keys: keys, inner: #"{"a":[{"a":1},{"a":1}]}"#)) == nil)
    }

    @Test("a line of a hundred thousand keys takes milliseconds", arguments: [false, true])
    func manyKeys(twice: Bool) {
        var keys = (0..<100_000).map { "k\($0)" }
        if twice { keys[99_999] = "k0" }
        let bytes = Array(line(keys: keys).utf8)
        // Comparing each with each would take minutes, even with this slack for a debug build.
        let took = processorTime {
            #expect(refuse(bytes)?.error.path == (twice ? "$.params.k0" : nil))
        }
        #expect(took < .seconds(3))
    }

    @Test("a line of very many small objects takes milliseconds")
    func manyObjects() {
        let bytes = Array(line(keys: (0..<50_000).map { "k\($0)" }, inner: #"{"a":{"b":1}}"#).utf8)
        let took = processorTime { #expect(refuse(bytes) == nil) }
        #expect(took < .seconds(3))
    }
}

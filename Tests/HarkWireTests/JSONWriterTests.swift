import Foundation
import HarkTesting
import HarkWire
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(reservingCapacity: 0)
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("commas stand between members and elements and nowhere else")
    func commas() {
        let written = text { writer in
            writer.beginObject()
            writer.key("a")
            writer.beginArray()
            writer.int(1)
            writer.string("")
            writer.beginArray()
            writer.endArray()
            writer.beginObject()
            writer.endObject()
            writer.null()
            writer.bool(true)
            writer.bool(false)
            writer.double(1)
            writer.raw(Array("[0]".utf8))
            writer.raw(Array("x{}x".utf8)[1..<3])
            writer.endArray()
            writer.key("b" as String)
            writer.uint(2)
            writer.endObject()
            writer.newline()
            writer.beginArray()
            writer.endArray()
        }
        #expect(written == #"{"a":[1,"",[],{},null,true,false,1.0,[0],{}],"b":2}"# + "\n[]")
    }

    @Test("a string that ends in a bracket or colon does not swallow the comma", arguments: ["{", "[", ":", "\n", ","])
    func lastByte(character: String) {
        let written = text { writer in
            writer.beginArray()
            writer.string(character)
            writer.string(character)
            writer.endArray()
        }
        let escaped = character == "\n" ? "\\n" : character
        #expect(written == "[\"\(escaped)\",\"\(escaped)\"]")
    }

    @Test("every control character, quote and backslash is escaped, nothing else is", arguments: 0...0x7F)
    func escapes(code: UInt8) {
        let short: [UInt8: String] = [
            8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 0x22: "\\\"", 0x5C: "\\\\",
        ]
        let character = String(decoding: [code], as: UTF8.self)
        let digits = String(code, radix: 16)
        let escape = code < 0x20 ? "\\u" + String(repeating: "0", count: 4 - digits.count) + digits : character
        let expected = short[code] ?? escape
        // Before, in and behind the eight bytes that are looked at together.
        for before in 0...17 {
            let head = String(repeating: "é", count: before / 2) + String(repeating: "a", count: before % 2)
            let tail = String(repeating: "~", count: 17 - before)
            #expect(text { $0.string(head + character + tail) } == "\"\(head)\(expected)\(tail)\"")
        }
        #expect(text { $0.key(character) } == "\"\(expected)\":")
    }

    @Test(
        "text beyond ASCII goes through as it is",
        arguments: ["é", "日本語", "👩‍👩‍👧‍👦 family", "\u{7F}\u{80}\u{2028}\u{10FFFF}"])
    func unicode(value: String) {
        #expect(text { $0.string(value) } == "\"\(value)\"")
    }

    @Test("all pairs of bytes that can stand together survive a decoder")
    func pairs() throws {
        for first in UInt8(0)...0x7F {
            for second in UInt8(0)...0x7F {
                let value = String(
                    decoding: [first, second, 0x61, first, 0x61, second, first, first, second], as: UTF8.self)
                let data = Data(text { $0.string(value) }.utf8)
                #expect(try JSONDecoder().decode(String.self, from: data) == value)
            }
        }
    }

    @Test("an empty buffer without address is an empty string")
    func emptyBuffer() {
        #expect(text { $0.string(utf8: UnsafeBufferPointer(start: nil, count: 0)) } == "\"\"")
    }

    @Test("integers are written as the standard library writes them")
    func integers() {
        var values: [Int64] = [.min, .max, .min + 1, 0]
        var power: Int64 = 1
        for _ in 0..<18 {
            power *= 10
            for delta in Int64(-1)...1 { values += [power + delta, -power + delta] }
        }
        values += Array(-1_100...1_100)
        for value in values {
            #expect(text { $0.int(value) } == String(value))
            #expect(text { $0.uint(value.magnitude) } == String(value.magnitude))
        }
        #expect(text { $0.uint(.max) } == "18446744073709551615")
        #expect(text { $0.int(Int.min) } == "-9223372036854775808")
    }

    @Test(
        "a double stays a double and reads back the same",
        arguments: [
            0, -0.0, 1, -1, 0.1, 1.0 / 3, 1e15, 1e16, 9_007_199_254_740_992, 1e21, 1e-7, 123_456.789, .pi, .ulpOfOne,
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNormalMagnitude, .leastNonzeroMagnitude,
        ])
    func doubles(value: Double) {
        let written = text { $0.double(value) }
        #expect(written.contains(".") || written.contains("e"))
        #expect(Double(written)?.bitPattern == value.bitPattern)
        #expect(isAcceptedJSON(written))
        // Behind other text, which must be kept.
        #expect(
            text { writer in
                writer.beginArray()
                writer.double(value)
                writer.double(value)
                writer.endArray()
            } == "[\(written),\(written)]")
    }

    @Test("a double of few decimals is written as the library would write it")
    func decimals() {
        var random = SplitMix64(state: 7)
        for _ in 0..<200_000 {
            let decimals = Int.random(in: 0...8, using: &random)
            let number =
                Int64.random(in: -99_999_999_999...99_999_999_999, using: &random)
                >> Int64.random(in: 0...36, using: &random)
            let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
            for value in [Double(number) / scale, (Double(number) / scale).nextUp, Double(number) * scale] {
                let written = text { $0.double(value) }
                guard written == value.description else {
                    Issue.record("\(value) was written as \(written)")
                    return
                }
            }
        }
    }

    /// What a text is as the content of a JSON string, byte by byte.
    private static func escaped(_ text: [UInt8]) -> [UInt8] {
        text.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
            case 0x0A: Array("\\n".utf8)
            case 0..<0x20: Array(String(format: "\\u%04x", byte).utf8)
            default: [byte]
            }
        }
    }

    @Test("one character to escape is found at each place of a text of any length, among its neighbours and in UTF-8")
    func placesOfEscapes() throws {
        // A page with nothing behind it: who looks beyond the end of a text is stopped there.
        let page = 4_096
        let memory = try #require(mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
        defer { munmap(memory, 2 * page) }
        #expect(mprotect(memory + page, page, PROT_NONE) == 0)
        let special: [[UInt8]] =
            [0x00, 0x0A, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F].map { [$0] }
            + ["\u{80}", "\u{e9}", "\u{20ac}", "\u{1F600}"].map { Array($0.utf8) }
        for length in 0...26 {
            for place in 0...length {
                for bytes in special {
                    let text =
                        [UInt8](repeating: 0x61, count: place) + bytes + [UInt8](repeating: 0x7A, count: length - place)
                    let start = (memory + page - text.count).assumingMemoryBound(to: UInt8.self)
                    start.update(from: text, count: text.count)
                    var json = JSONWriter()
                    json.unchecked(upTo: UncheckedJSONWriter.bound(ofString: text.count)) {
                        $0.string(utf8: UnsafeBufferPointer(start: start, count: text.count))
                    }
                    guard json.bytes == [0x22] + Self.escaped(text) + [0x22] else {
                        Issue.record("\(text) was written as \(json.bytes)")
                        return
                    }
                }
            }
        }
    }

    @Test("text is escaped wherever what needs it stands, in short and in long texts")
    func escapes() throws {
        var random = SplitMix64(state: 8)
        for length in Array(0...40) + [1_023, 1_024, 1_025, 5_000] {
            for _ in 0..<20 {
                let bytes = (0..<length).map { _ in
                    UInt8.random(in: 0...3, using: &random) == 0
                        ? [0, 8, 9, 10, 12, 13, 31, 34, 92, 127].randomElement(using: &random) ?? 0
                        : UInt8.random(in: 32...126, using: &random)
                }
                let value = String(decoding: bytes, as: UTF8.self)
                let plain = text { $0.string(value) }
                let quick = text { json in
                    json.unchecked(upTo: UncheckedJSONWriter.bound(ofString: length)) { text in
                        bytes.withUnsafeBufferPointer { text.string(utf8: $0) }
                    }
                }
                #expect(plain == quick)
                let nested = text { json in
                    json.nested(upTo: UncheckedJSONWriter.bound(ofString: length)) { text in
                        bytes.withUnsafeBufferPointer { text.string(utf8: $0) }
                    }
                }
                #expect(nested == text { $0.string(plain) })
                let read = try JSONSerialization.jsonObject(with: Data(plain.utf8), options: .fragmentsAllowed)
                #expect(read as? String == value)
            }
        }
    }

    private func isAcceptedJSON(_ text: String) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
    }

    @Test("what is no number becomes null", arguments: [Double.infinity, -.infinity, .nan])
    func notFinite(value: Double) {
        #expect(text { $0.double(value) } == "null")
    }

    @Test("writing much takes time in proportion, whatever is written")
    func growth() {
        var writer = JSONWriter(reservingCapacity: 0)
        writer.beginArray()
        let took = processorTime {
            for index in 0..<200_000 {
                writer.int(index)
                writer.double(0.5)
                writer.string("x")
                writer.timestamp(.earliest)
            }
        }
        // Copying the text for each value would take minutes.
        #expect(took < .seconds(20))
        #expect(writer.bytes.count > 7_000_000)
    }
}

import HarkWire
import Testing

@Suite("Identifier")
struct IdentifierTests {
    /// Counts, so that a test can tell which bits came from where.
    struct Ones: RandomNumberGenerator, Sendable {
        func next() -> UInt64 { .max }
    }

    private let text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"

    @Test("is read in any case and written in lower case")
    func roundTrip() throws {
        let identifier = try #require(Identifier(text))
        #expect(identifier.high == 0x017f_22e2_79b0_7cc3)
        #expect(identifier.low == 0x98c4_dc0c_0c07_398f)
        #expect(identifier.description == text)
        #expect(Identifier(text.uppercased()) == identifier)
        var bytes = Array(">".utf8)
        identifier.append(to: &bytes)
        #expect(bytes == Array((">" + text).utf8))
        var writer = JSONWriter()
        writer.beginArray()
        writer.identifier(identifier)
        writer.identifier(identifier)
        #expect(writer.bytes == Array("[\"\(text)\",\"\(text)\"".utf8))
    }

    @Test(
        "what is not a UUID is refused",
        arguments: [
            "", "017f22e279b07cc398c4dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
            "017f22e2-79b0-7cc3-98c4-dc0c0c07398fa",
            "{17f22e2-79b0-7cc3-98c4-dc0c0c07398f", "017f22e2_79b0-7cc3-98c4-dc0c0c07398f",
            "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", "017f22e2-79b0-7cc3-98c4-dc0c0c07398é",
            "-17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        ])
    func refusing(text: String) {
        #expect(Identifier(text) == nil)
    }

    @Test("every single character that is changed to a non-digit is noticed")
    func everyPlace() {
        for index in 0..<36 {
            var bytes = Array(text.utf8)
            bytes[index] = UInt8(ascii: ":")
            #expect(bytes.withUnsafeBufferPointer { Identifier(utf8: $0) } == nil)
        }
    }

    @Test("every digit is read and written at every place")
    func everyDigit() {
        for digit in "0123456789abcdef" {
            for place in text.indices where text[place] != "-" {
                var changed = text
                changed.replaceSubrange(place...place, with: String(digit))
                #expect(Identifier(changed)?.description == changed)
            }
        }
    }

    @Test("sorts as its text does")
    func order() throws {
        let ordered = [
            "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001",
            "00000000-0000-0001-0000-000000000000", "7fffffff-ffff-ffff-ffff-ffffffffffff",
            "80000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
        ]
        let identifiers = try ordered.map { try #require(Identifier($0)) }
        #expect(identifiers.reversed().sorted() == identifiers)
        #expect(identifiers.map(\.description) == ordered)
    }

    @Test("the generator keeps version and variant apart from time and chance")
    func layout() {
        var generator = Identifier.Generator(random: Ones())
        let identifier = generator.next(at: Timestamp(milliseconds: 0x017f_22e2_79b0))
        #expect(identifier.description == "017f22e2-79b0-77ff-bfff-ffffffffffff")
        #expect(generator.next(at: .earliest).description == "00000000-0000-77ff-bfff-ffffffffffff")
    }

    @Test("ids sort in the order they were made, within a millisecond as well, and none tells the next")
    func monotone() throws {
        var generator = Identifier.Generator()
        var last = generator.next(at: .earliest)
        var steps: Set<UInt64> = []
        for milliseconds in Int64(1_795_259_280_000)..<1_795_259_281_000 {
            for index in 0..<20 {
                let identifier = generator.next(at: Timestamp(milliseconds: milliseconds))
                #expect(identifier.high >> 16 == UInt64(milliseconds))
                #expect(identifier.high >> 12 & 0xF == 7)
                #expect(identifier.low >> 62 == 0b10)
                #expect(last < identifier)
                if index > 0 { steps.insert(identifier.low &- last.low) }
                last = identifier
            }
        }
        #expect(steps.count > 18_990)
    }

    @Test("a millisecond with more ids than fit ends in the next, and a clock set back begins anew")
    func bounds() {
        var generator = Identifier.Generator(random: Ones())
        let time = Timestamp(milliseconds: 0x017f_22e2_79b0)
        var last = generator.next(at: time)
        // The upper half is all ones but one bit, so the room above it is as small as it gets.
        for _ in 0..<2_200_000 {
            let next = generator.next(at: time)
            if next <= last || next.high >> 12 & 0xF != 7 || next.low >> 62 != 0b10 {
                Issue.record("\(next) follows \(last)")
                return
            }
            last = next
        }
        #expect(last.high >> 16 == 0x017f_22e2_79b1)
        #expect(generator.next(at: time.adding(milliseconds: -1_000)).high >> 16 == 0x017f_22e2_75c8)
    }

    @Test("copies of a generator share no numbers beyond the block they were copied with")
    func blocks() {
        var random = BlockRandom()
        let numbers = (0..<1_000).map { _ in random.next() }
        #expect(Set(numbers).count == 1_000)
        // Each bit is one about half of the time.
        for bit in 0..<64 {
            let ones = numbers.count { $0 >> bit & 1 == 1 }
            #expect((350...650).contains(ones))
        }
    }
}

import HarkWire
import Testing

@Suite("Colours and how well one is read on another")
struct ColourTests {
    @Test(
        "a colour is # and six digits, and nothing else",
        arguments: ["", "#fff", "7a1fa2", "#7a1fa", "#7a1fa2a", "#+a1fa2", "purple", "#7á1fa"])
    func refused(_ text: String) { #expect(Colour(text) == nil) }

    @Test("a colour is written as it is read")
    func text() {
        #expect(Colour("#7A1fa2") == Colour(red: 0x7a, green: 0x1f, blue: 0xa2))
        #expect(Colour("#7A1fa2")?.text == "#7a1fa2")
    }

    @Test("contrasts are those of WCAG")
    func contrast() {
        #expect(abs(Colour.white.contrast(with: .black) - 21) < 0.001)
        #expect(Colour.white.contrast(with: .white) == 1)
        // From a table of WCAG: #767676 is the lightest grey that is readable on white.
        #expect(abs((Colour("#767676") ?? .black).contrast(with: .white) - 4.54) < 0.01)
        #expect(abs((Colour("#3584e4") ?? .black).contrast(with: .white) - 3.77) < 0.01)
    }

    @Test("black or white is read on every colour, and every colour is corrected until it is read on every ground")
    func readable() {
        let parts: [UInt8] = [0, 64, 119, 128, 200, 255]
        let all = parts.flatMap { red in
            parts.flatMap { green in parts.map { Colour(red: red, green: green, blue: $0) } }
        }
        for ground in all {
            #expect(ground.ink.contrast(with: ground) >= Colour.leastOfText)
            for colour in all where colour.red == ground.green {
                #expect(colour.readable(on: ground).contrast(with: ground) >= Colour.leastOfText)
            }
        }
        // A readable colour stays as it is.
        #expect(Colour.black.readable(on: .white) == .black)
        let purple = Colour(red: 0x7a, green: 0x1f, blue: 0xa2)
        #expect(purple.readable(on: .white) == purple)
    }
}

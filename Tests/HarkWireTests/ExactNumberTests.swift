import HarkWire
import Testing

@Suite("Numbers that are kept exactly")
struct ExactNumberTests {
    @Test(
        "a text is read digit by digit and told the same way",
        arguments: [
            ("0.1", "0.1"), ("-12.5", "-12.5"), ("007", "7"), ("2.500", "2.5"), ("-0", "0"), ("0.000001", "0.000001"),
            ("1000000000000", "1000000000000"), ("-999999999.999999", "-999999999.999999"), ("1.0000000000", "1"),
        ])
    func texts(text: String, told: String) {
        #expect(ExactNumber(text)?.description == told)
    }

    @Test(
        "what is no such number is refused",
        arguments: [
            "", "-", ".5", "5.", "1e5", "+1", " 1", "1 ", "1,5", "1.2.3", "٣", "0x10", "nan", "0.0000001",
            "1000000000001", "1000000000.5", "99999999999999999999",
        ])
    func refusals(text: String) { #expect(ExactNumber(text) == nil) }

    @Test("a way through JSON changes no digit")
    func json() throws {
        for text in ["0.1", "0.3", "-2.675", "999999999.999999", "123456.789012", "4.35", "1000000000000"] {
            let number = try #require(ExactNumber(text))
            #expect(number.value.description == text)
            #expect(ExactNumber(number.value) == number)
        }
        #expect(ExactNumber(JSONValue.double(0.1 + 0.2)) == nil && ExactNumber(JSONValue.string("1")) == nil)
        #expect(ExactNumber(JSONValue.double(1e300)) == nil && ExactNumber(JSONValue.double(.infinity)) == nil)
        #expect(ExactNumber(JSONValue.double(2.0)) == 2)
    }

    @Test("steps are counted without rounding")
    func steps() throws {
        let (tenth, base) = (try #require(ExactNumber("0.1")), try #require(ExactNumber("-0.5")))
        #expect(try #require(ExactNumber("0.7")).isStep(tenth, from: base))
        #expect(!(try #require(ExactNumber("0.75")).isStep(tenth, from: base)))
        #expect(try #require(ExactNumber("0.7")).steps(of: tenth, from: base) == 12)
        #expect(base.adding(12, of: tenth, upTo: 3).description == "0.7")
        #expect(base.adding(.max, of: tenth, upTo: 3) == 3)
        #expect(!tenth.isStep(0, from: base) && tenth.steps(of: 0, from: base) == 0)
    }
}

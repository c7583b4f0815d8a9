import HarkTesting
import HarkWire
import Testing

@Suite("the tests' reader of JSON")
struct JSONReaderTests {
    @Test("gives back what was written, in its order, whole numbers as integers as far as they go")
    func reading() throws {
        let text = """
            [null,true,false,0,-9223372036854775808,9223372036854775807,0.5,1e300,"1","",[[]],{"b":1,"a":[{}]},1.0,
            18446744073709551616,"\\u00e9\\ud83d\\ude00\\n\\/"]
            """
        let expected: JSONValue = [
            nil, true, false, 0, .int(.min), .int(.max), 0.5, 1e300, "1", "", [[]], ["b": 1, "a": [[:]]], 1.0,
            .double(18_446_744_073_709_551_616), "é😀\n/",
        ]
        let value = try JSONReader.read(text)
        #expect(value == expected)
        #expect(value[11]?.objectValue?.keys == ["b", "a"])
    }

    @Test(
        "refuses what is not JSON",
        arguments: [
            "", "1 2", "[1,]", "{\"a\"}", "{\"a\":1,}", "[1", "nul", "01", "-", "+1", ".5", "1.", "1e", "0x10", "inf",
            "nan", "1e999",
            "\"", "\"\t\"", #""\x""#, #""\u00e""#, #""\u+0e9""#, #""\ud83d""#, #""\ud83dx00e9""#, #""\ud83d\u0061""#,
            #""\ude00""#,
        ])
    func refusing(text: String) {
        #expect(throws: JSONReader.Fault.self) { try JSONReader.read(text) }
    }
}

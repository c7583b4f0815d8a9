import HarkClient
import Testing

@testable import HarkTool

/// Tables that become events.
@Suite("CSV in") struct CSVLineTests {
    /// The events of the rows; a refusal as its message.
    private func events(
        _ text: String, name: String? = nil, nameFrom: String? = nil, timeFrom: String? = nil
    ) throws -> [String] {
        var form = CSVLine(FieldEvent(name: name, nameFrom: nameFrom, timeFrom: timeFrom))
        var made: [String] = []
        // By bytes: to Swift, CR and LF are one character.
        for line in text.utf8.split(separator: 10, omittingEmptySubsequences: false) {
            var params: [UInt8] = []
            switch try form.append(ArraySlice(line), to: &params) {
            case .event: made.append(String(decoding: params, as: UTF8.self))
            case .empty: #expect(params.isEmpty)
            case .wrong(let why): made.append(why)
            }
        }
        return made + [form.unfinished].compactMap { $0 }
    }

    @Test("the first row names the columns, and numbers and flags are such")
    func types() throws {
        let text = "name,n,x,f,id,code,long,text,none\r\nsale,59.5,-1,TRUE,007,1E5,12345678901234567890,a b,\r\n"
        #expect(
            try events(text) == [
                #"{"name":"sale","properties":{"n":59.5,"x":-1,"f":true,"id":"007","code":"1E5","#
                    + #""long":"12345678901234567890","text":"a b"}}"#
            ])
    }

    @Test("quotes hold separators, quotes and line ends")
    func quotes() throws {
        let text = "\"name\",\"a \"\"b\"\"\"\nx,\"1,\n2\"\"3\"\ny,4\"5\nz,\"\"\n"
        #expect(
            try events(text) == [
                #"{"name":"x","properties":{"a \"b\"":"1,\n2\"3"}}"#, #"{"name":"y","properties":{"a \"b\"":"4\"5"}}"#,
                #"{"name":"z","properties":{}}"#,
            ])
    }

    @Test("semicolons and tabs are found, and with semicolons a comma is the point", arguments: [";", "\t"])
    func separators(separator: String) throws {
        let text = ["name;betrag,netto;b", "x;59,5;2"].map { $0.replacing(";", with: separator) }.joined(
            separator: "\n")
        let amount = separator == ";" ? "59.5" : #""59,5""#
        #expect(try events(text) == [#"{"name":"x","properties":{"betrag,netto":\#(amount),"b":2}}"#])
    }

    @Test("name and time come from columns that are called so, or that are named")
    func columns() throws {
        let time = #""timestamp":"2026-11-21T11:08:00.000Z""#
        #expect(
            try events("timestamp,name\n2026-11-21 12:08:00+0100,x") == [#"{"name":"x","properties":{},\#(time)}"#])
        #expect(
            try events("kind,at,name\nx,1795259280,y", nameFrom: "kind", timeFrom: "at")
                == [#"{"name":"x","properties":{"name":"y"},\#(time)}"#])
        #expect(try events("name,a\nx,1", name: "all") == [#"{"name":"all","properties":{"name":"x","a":1}}"#])
    }

    @Test(
        "a table that cannot be read is refused at its first row",
        arguments: [
            ("a,b\n1,2", nil, nil, "'name'"), ("nmae,b\n1,2", nil, nil, "did you mean 'nmae'?"),
            ("name,a,a\n", nil, nil, "two columns"), ("name,a\n", "kind", nil, "'kind'"),
            ("name,a\n", nil, "date", "'date'"),
            ("\"name\"x,a\n", nil, nil, "behind the quote"),
        ] as [(String, String?, String?, String)])
    func head(text: String, nameFrom: String?, timeFrom: String?, why: String) {
        let error = #expect(throws: ToolError.self) { try events(text, nameFrom: nameFrom, timeFrom: timeFrom) }
        #expect(error?.exit == .data && error?.message.contains(why) == true, "\(error?.message ?? "")")
    }

    @Test(
        "a row that cannot be an event is refused, and the others are taken",
        arguments: [
            ("x,1,2", "3 fields"), (",1", "'name'"), ("\"x\"y,1", "behind the quote"),
        ])
    func rows(row: String, why: String) throws {
        let made = try events("name,a\n\(row)\nok,1")
        #expect(made.count == 2 && made[0].contains(why) && made[1].hasPrefix(#"{"name":"ok""#), "\(made)")
        let open = try events("name,a\nok,1\nx,\"never\nclosed")
        #expect(open.count == 2 && open[1].contains("never closed"))
    }
}

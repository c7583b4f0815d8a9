import HarkClient
import HarkWire
import Testing

@testable import HarkTool

/// Log entries on a terminal.
@Suite struct LogTextTests {
    private static let device = "0199e0f4-8c7a-7000-8000-0000000000dd"
    private static let other = "0199e0f5-8c7a-7000-8000-0000000000ee"

    private func rows(_ user: String?, level: String = "info", coloured: Bool = false, columns: Int = 80) -> [String] {
        var text = LogText(TextStyle(coloured: coloured), deviceId: { Self.device })
        let user = user.map { #","userId":"\#($0)""# } ?? ""
        return text.rows(
            JSONText(
                #"{"level":"\#(level)","timestamp":"no time","message":"Card terminal does not answer"\#(user),"#
                    + #""metadata":{"till":2}}"#), columns)
    }

    @Test("the level comes first, and a user is shown where it is one: not the device, and of an id the beginning")
    func user() {
        #expect(rows(nil) == ["info      no time  Card terminal does not answer  till=2"])
        #expect(rows(Self.device) == rows(nil))
        #expect(rows("ada") == ["info      no time  ada  Card terminal does not answer  till=2"])
        #expect(rows(Self.other) == ["info      no time  0199e0f5…  Card terminal does not answer  till=2"])
    }

    @Test("further rows hang below the time, and no word is broken")
    func hanging() {
        #expect(
            rows("ada", columns: 40) == ["info      no time  ada  Card terminal", "          does not answer  till=2"])
    }

    @Test("an error is red in every row, a warning at its level")
    func colours() {
        let rows = rows(nil, level: "error", coloured: true, columns: 40)
        #expect(rows.count == 2)
        for row in rows {
            #expect(row.contains("\u{1B}[31m") && row.hasSuffix("\u{1B}[0m") && !row.contains("\u{1B}[2m"))
        }
        #expect(self.rows(nil, level: "warning", coloured: true)[0].hasPrefix("\u{1B}[33mwarning   \u{1B}[0m\u{1B}[2m"))
    }
}

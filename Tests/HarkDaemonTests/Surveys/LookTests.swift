import HarkCore
import HarkWire
import Testing

@testable import HarkDaemon

/// The colours and the logo for windows.
@Suite struct LookTests {
    @Test("windows are told what the settings say of their look, and nothing else")
    func told() async throws {
        let look = ##"{"notify":null,"look":{"accent":"#7A1FA2","logo":"logo.svg"}}"##
        try await DaemonFixture.run(configuration: look) { daemon in
            let app = try daemon.connect()
            let told = try await app.call("survey.look")
            #expect(told["accent"] == "#7a1fa2" && told["background"] == nil)
            #expect(told["logo"]?.stringValue?.hasPrefix("/") == true)
            #expect(told["logo"]?.stringValue?.hasSuffix("/logo.svg") == true)
        }
        try await DaemonFixture.run(configuration: #"{"notify":null}"#) { daemon in
            let told = try await daemon.connect().call("survey.look")
            #expect(told == .object([:]))
        }
    }

    @Test("a background on which nothing is read well is refused with a sentence that says what to do")
    func refused() {
        func errors(_ look: String) -> [String] {
            ReadSettings(Array(#"{"look":\#(look)}"#.utf8)).errors.map(\.message)
        }
        #expect(errors(##"{"background":"#777777"}"##).first?.contains("choose a lighter or darker one") == true)
        #expect(errors(##"{"accent":"blue"}"##).first?.contains(##"a colour as in "#7a1fa2""##) == true)
        #expect(errors(##"{"background":"#fff8e7","accent":"#777777","logo":null}"##) == [])
        #expect(errors(#"{"logo":""}"#).count == 1)
    }
}

import Foundation
import Hark
import Testing

/// A program's values in Swift's own types, in both directions.
@Suite struct ValueTests {
    @Test("variables of Swift's own types stand where values are wanted, beside literals")
    func variables() {
        let count = 3
        let name = "Home"
        let properties: [String: any ValueConvertible] = [
            "n": count, "name": name, "part": name.prefix(2), "ratio": Float(0.1), "price": 9.99, "on": count == 3,
            "small": UInt8(7), "literal": "x", "value": Value.null,
        ]
        let values = properties.mapValues(\.harkValue)
        #expect(values["n"] == 3 && values["name"] == "Home" && values["part"] == "Ho" && values["ratio"] == 0.1)
        #expect(values["price"] == 9.99 && values["on"] == true && values["small"] == 7 && values["literal"] == "x")
        #expect(values["value"] == .null)
        #expect(Value([1, count]) == [1, 3] && Value(["n": count]) == ["n": 3])
        #expect(Value(UInt64.max) == .double(0x1p64) && Value(UInt64(Int64.max)) == .integer(.max))
    }

    @Test("3.0 is an integer as 3 is, 2.5 and what an Int cannot hold are none")
    func integers() {
        let config = RemoteConfig(raw: ["a": 3, "b": 3.0, "c": 2.5, "d": 1e30, "e": "3", "f": true, "g": -0.0])
        #expect(config.int(for: "a") == 3 && config.int(for: "b") == 3 && config.int(for: "g") == 0)
        for key in ["c", "d", "e", "f", "nothing"] { #expect(config.int(for: key) == nil, "\(key)") }
        #expect(config.double(for: "a") == 3.0 && config.double(for: "b") == 3.0)
    }

    @Test("an error says in its localizedDescription what happened and what to do, however it was caught")
    func errors() async {
        var options = EventRecorder.Options()
        options.socket = "/nonexistent/hark.sock"
        let recorder = EventRecorder(options)
        do {
            _ = try await recorder.endSession()
            Issue.record("there is a daemon")
        } catch {
            #expect(error.code == .notRunning)
            #expect(error.localizedDescription == error.message)
            #expect(error.message.contains("/nonexistent/hark.sock"))
            let general: any Error = error
            #expect(general.localizedDescription == error.message)
            #expect((general as? any LocalizedError)?.errorDescription == error.message)
        }
    }
}

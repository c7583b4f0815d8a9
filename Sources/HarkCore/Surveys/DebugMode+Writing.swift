package import HarkWire

extension DebugMode {
    package func write(to json: inout JSONWriter) {
        func write(_ name: StaticString, _ milliseconds: Int64?) {
            json.key(name)
            if let milliseconds { json.double(Double(milliseconds) / 1_000) } else { json.null() }
        }
        json.beginObject()
        json.key("bypassGating")
        json.bool(bypassesGating)
        write("scheduleDelaySeconds", delay)
        write("attemptCooldownSeconds", attemptCooldown)
        json.endObject()
    }
}

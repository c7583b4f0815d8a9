import HarkWire

/// The packed times of a showing, read in place, as `ShowingTimes.properties` has them. Its buffers are valid during one call.
struct PackedTimes {
    var planned: Timestamp?
    var notified: Timestamp?
    var reminders: Int64 = 0
    var lastReminder: Timestamp?
    /// As `PackedDelays` reads it.
    var delays: UnsafeBufferPointer<UInt8>?
    /// Zero if the delays show it.
    var snoozes: Int64 = 0
    var opened: Timestamp?
    var firstAnswer: Timestamp?
    var surface: UnsafeBufferPointer<UInt8>?
    var zone: UnsafeBufferPointer<UInt8>?
    var offsetMinutes: Int64?
    var asleep: Int64 = 0
    var variant: UnsafeBufferPointer<UInt8>?
    /// The members of `SamplingPlace`. Without an occasion, the showing is not a prompt of a schedule.
    var occasion: UnsafeBufferPointer<UInt8>?
    var studyDay: Int64 = 0
    var promptOfDay: Int64 = 0
    var burst: Int64?
    var studyGroup: UnsafeBufferPointer<UInt8>?
    var away: UnsafeBufferPointer<UInt8>?
    /// As `PackedItem` reads it.
    var items: UnsafeBufferPointer<UInt8>?

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        Properties.forEachMember(in: bytes) { member in
            let key = member.key
            switch member.value {
            case .integer(let number):
                switch true {
                case key.isEqual("planned"): planned = Timestamp(milliseconds: number)
                case key.isEqual("notified"): notified = Timestamp(milliseconds: number)
                case key.isEqual("reminders"): reminders = number
                case key.isEqual("snoozes"): snoozes = number
                case key.isEqual("lastReminder"): lastReminder = Timestamp(milliseconds: number)
                case key.isEqual("opened"): opened = Timestamp(milliseconds: number)
                case key.isEqual("firstAnswer"): firstAnswer = Timestamp(milliseconds: number)
                case key.isEqual("offset"): offsetMinutes = number
                case key.isEqual("asleep"): asleep = number
                case key.isEqual("studyDay"): studyDay = number
                case key.isEqual("promptOfDay"): promptOfDay = number
                case key.isEqual("burst"): burst = number
                default: break
                }
            case .string(let text):
                switch true {
                case key.isEqual("surface"): surface = text
                case key.isEqual("zone"): zone = text
                case key.isEqual("variant"): variant = text
                case key.isEqual("occasion"): occasion = text
                case key.isEqual("studyGroup"): studyGroup = text
                case key.isEqual("away"): away = text
                case key.isEqual("delays"): delays = text
                case key.isEqual("items"): items = text
                default: break
                }
            default: break
            }
        }
    }
}

extension PackedTimes {
    /// Writes the times as a member that follows another.
    ///
    /// - Parameter answered: when its answers were given.
    func write(to json: inout UncheckedJSONWriter, answered: Timestamp?) {
        json.literal(#","times":{"#)
        var isFirst = true
        func key(_ name: StaticString) {
            if !isFirst { json.byte(UInt8(ascii: ",")) }
            isFirst = false
            json.literal(name)
        }
        func write(_ name: StaticString, _ time: Timestamp?) {
            guard let time else { return }
            key(name)
            json.timestamp(time)
        }
        func count(_ name: StaticString, _ times: Int64) {
            guard times > 0 else { return }
            key(name)
            json.int(times)
        }
        write(#""plannedAt":"#, planned)
        write(#""notifiedAt":"#, notified)
        count(#""reminders":"#, reminders)
        write(#""lastReminderAt":"#, lastReminder)
        if let delays {
            var kept: Int64 = 0
            _ = PackedDelays.forEach(in: delays) { kept &+= $0.isQuiet ? 0 : 1 }
            count(#""snoozes":"#, max(snoozes, kept))
            key(#""putOff":["#)
            var isFirst = true
            _ = PackedDelays.forEach(in: delays) { delay in
                json.literal(isFirst ? #"{"at":"# : #",{"at":"#)
                isFirst = false
                json.timestamp(delay.at)
                json.literal(#","until":"#)
                json.timestamp(delay.until)
                json.literal(delay.isQuiet ? #","by":"quietHours"}"# : #","by":"person"}"#)
            }
            json.byte(UInt8(ascii: "]"))
        }
        write(#""openedAt":"#, opened)
        write(#""firstAnswerAt":"#, firstAnswer)
        write(#""answeredAt":"#, answered)
        if let surface {
            key(#""surface":"#)
            json.string(utf8: surface)
        }
        if let zone {
            key(#""zone":"#)
            json.string(utf8: zone)
        }
        if let offsetMinutes {
            key(#""utcOffsetMinutes":"#)
            json.int(offsetMinutes)
        }
        func write(_ name: StaticString, _ text: UnsafeBufferPointer<UInt8>?) {
            guard let text else { return }
            key(name)
            json.string(utf8: text)
        }
        func write(_ name: StaticString, _ number: Int64?) {
            guard let number else { return }
            key(name)
            json.int(number)
        }
        write(#""variant":"#, variant)
        write(#""occasion":"#, occasion)
        if occasion != nil {
            write(#""studyDay":"#, studyDay)
            write(#""promptOfDay":"#, promptOfDay)
            write(#""burst":"#, burst)
            write(#""studyGroup":"#, studyGroup)
        }
        guard let items else { return json.byte(UInt8(ascii: "}")) }
        var shown: Int64 = 0
        _ = PackedItem.forEach(in: items) { shown &+= $0.shown }
        if shown > 0 {
            key(#""seconds":"#)
            json.double(Double(shown) / 1_000)
            json.literal(#","asleepSeconds":"#)
            json.double(Double(asleep) / 1_000)
        }
        key(#""items":{"#)
        var isFirstItem = true
        _ = PackedItem.forEach(in: items) { item in
            if !isFirstItem { json.byte(UInt8(ascii: ",")) }
            isFirstItem = false
            item.write(to: &json)
        }
        json.literal("}}")
    }
}

extension PackedItem {
    fileprivate func write(to json: inout UncheckedJSONWriter) {
        json.string(utf8: UnsafeBufferPointer(rebasing: question))
        json.literal(":{")
        if shown > 0 {
            json.literal(#""seconds":"#)
            json.double(Double(shown) / 1_000)
            json.byte(UInt8(ascii: ","))
        }
        json.literal(#""changes":"#)
        json.int(changes)
        for (name, time) in [(#","firstAt":"# as StaticString, firstAnswer), (#","lastAt":"#, lastAnswer)] {
            guard let time else { continue }
            json.literal(name)
            json.timestamp(Timestamp(milliseconds: time))
        }
        json.byte(UInt8(ascii: "}"))
    }
}

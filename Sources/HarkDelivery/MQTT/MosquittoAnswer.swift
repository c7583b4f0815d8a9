internal import CMosquitto
internal import Glibc

/// How a broker answers who connects.
struct MosquittoAnswer {
    /// 0 for yes; else a number of the version of MQTT that was spoken.
    let code: Int32
    /// How many seconds the broker wants to hear something after, if others than it was told; 0 for never.
    let keepAliveSeconds: Int?
    /// The highest quality of service it takes.
    let maxQoS: Int32
    /// The longest packet it takes; nil where it has not said so.
    let maxPacketBytes: Int?
    /// Its own words, of whatever kind; at most 200 bytes.
    let words: String?

    init(
        code: Int32, _ properties: OpaquePointer?, _ functions: UnsafePointer<hark_mosquitto>
    ) {
        var seconds: UInt16 = 0
        var qos: UInt8 = 2
        var size: UInt32 = 0
        var words: UnsafeMutablePointer<CChar>?
        let calls = functions.pointee
        let wish = calls.property_read_int16(properties, Int32(MQTT_PROP_SERVER_KEEP_ALIVE.rawValue), &seconds, false)
        _ = calls.property_read_byte(properties, Int32(MQTT_PROP_MAXIMUM_QOS.rawValue), &qos, false)
        _ = calls.property_read_int32(properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &size, false)
        _ = calls.property_read_string(properties, Int32(MQTT_PROP_REASON_STRING.rawValue), &words, false)
        self.code = code
        keepAliveSeconds = wish == nil ? nil : Int(seconds)
        maxQoS = Int32(qos)
        maxPacketBytes = size == 0 ? nil : Int(size)
        self.words = words.map { String(decoding: String(cString: $0).utf8.prefix(200), as: UTF8.self) }
        free(words)
    }
}

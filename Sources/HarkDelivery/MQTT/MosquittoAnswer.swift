internal import CMosquitto
internal import Glibc

/// The broker's answer to a connection request.
struct MosquittoAnswer {
    /// 0 for success; else a code of the version of MQTT in use.
    let code: Int32
    /// The keep-alive in seconds that the broker requests instead of the client's; 0 for none.
    let keepAliveSeconds: Int?
    /// The highest accepted QoS.
    let maxQoS: Int32
    /// The longest accepted packet; nil if it has not announced one.
    let maxPacketBytes: Int?
    /// The broker's own text, of any content; at most 200 bytes.
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

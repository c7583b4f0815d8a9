@testable import HarkSystem

/// Writes messages as the kernel would.
struct NetlinkDatagram {
    private(set) var bytes: [UInt8] = []
    private var sequence: UInt32
    private var flags: UInt16

    /// News if there is no sequence number, otherwise the answer to that request.
    init(answering sequence: UInt32? = nil, isInterrupted: Bool = false) {
        self.sequence = sequence ?? 0
        flags = (sequence == nil ? 0 : 0x2) | (isInterrupted ? 0x10 : 0)
    }

    static let port: UInt32 = 99

    private mutating func add(_ type: UInt16, _ payload: [UInt8]) {
        let length = 16 + payload.count
        bytes += raw(UInt32(length)) + raw(type) + raw(flags) + raw(sequence) + raw(sequence == 0 ? 0 : Self.port)
        bytes += payload + [UInt8](repeating: 0, count: (4 - length % 4) % 4)
    }

    static let running: UInt32 = 0x1_0041

    /// - Parameter flags: up, running and with a carrier.
    func link(
        _ index: Int32, _ name: String, flags: UInt32 = running, hardware: UInt16 = 1, driver: String? = nil,
        family: UInt8 = 0, isGone: Bool = false
    ) -> NetlinkDatagram {
        var payload: [UInt8] = [family, 0] + raw(hardware) + raw(index) + raw(flags) + raw(UInt32(0))
        payload += attribute(3, Array(name.utf8) + [0])
        if let driver { payload += attribute(18, attribute(1, Array(driver.utf8) + [0])) }
        return adding(isGone ? 17 : 16, payload)
    }

    func loopback() -> NetlinkDatagram {
        link(1, "lo", hardware: 772).address("127.0.0.1", 8, on: 1).address("::1", 128, on: 1)
    }

    func address(
        _ text: String, _ length: UInt8, on interface: Int32, flags: UInt32 = 0x80, isGone: Bool = false
    ) -> NetlinkDatagram {
        let address = parsed(text)
        let head: [UInt8] = [family(address), length, UInt8(truncatingIfNeeded: flags), 0] + raw(interface)
        return adding(isGone ? 21 : 20, head + attribute(1, address) + attribute(8, raw(flags)))
    }

    func route(
        _ family: IPAddress.Family = .ipv4, over interface: Int32?, by gateway: String? = nil, metric: UInt32 = 0,
        table: UInt32 = 254, type: UInt8 = 1, source: String? = nil, length: UInt8 = 0, isGone: Bool = false
    ) -> NetlinkDatagram {
        var payload: [UInt8] = [family.number, length, 0, 0, UInt8(min(table, 252)), 3, 0, type, 0, 0, 0, 0]
        payload += attribute(15, raw(table)) + attribute(6, raw(metric))
        if let interface { payload += attribute(4, raw(interface)) }
        if let gateway { payload += attribute(5, parsed(gateway)) }
        if let source { payload += attribute(7, parsed(source)) }
        return adding(isGone ? 25 : 24, payload)
    }

    func done(_ code: Int32 = 0) -> NetlinkDatagram { adding(3, raw(code)) }

    func failed(_ code: Int32) -> NetlinkDatagram { adding(2, raw(code) + [UInt8](repeating: 0, count: 16)) }

    func other(_ type: UInt16, _ payload: [UInt8] = [0, 0, 0, 0]) -> NetlinkDatagram { adding(type, payload) }

    private func adding(_ type: UInt16, _ payload: [UInt8]) -> NetlinkDatagram {
        var copy = self
        copy.add(type, payload)
        return copy
    }

    private func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        let length = 4 + value.count
        return raw(UInt16(length)) + raw(type) + value + [UInt8](repeating: 0, count: (4 - length % 4) % 4)
    }

    private func raw(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

    private func family(_ address: [UInt8]) -> UInt8 { address.count == 4 ? 2 : 10 }

    /// Parses the addresses that the tests need: IPv4, and IPv6 with one `::`.
    private func parsed(_ text: String) -> [UInt8] {
        if !text.contains(":") { return text.split(separator: ".").map { UInt8($0)! } }
        let halves = text.split(separator: "::", omittingEmptySubsequences: false).map { half in
            half.split(separator: ":").flatMap { group in
                let number = UInt16(group, radix: 16)!
                return [UInt8(number >> 8), UInt8(number & 0xff)]
            }
        }
        return halves[0] + [UInt8](repeating: 0, count: 16 - halves[0].count - halves[1].count) + halves[1]
    }
}

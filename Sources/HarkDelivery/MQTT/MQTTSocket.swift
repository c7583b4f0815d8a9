internal import HarkSystem

/// The library's socket, watched by a number of our own; it ends with this object.
///
/// The library closes its number when it likes. While a program that is just being started still has it as well, the kernel would
/// go on watching it then, for a source that is no more.
@DaemonActor
final class MQTTSocket {
    private let descriptor: FileDescriptor
    private let source: IOSource

    init(
        _ loop: EventLoop, _ fd: Int32, interest: Interest, _ handler: @escaping @DaemonActor (Readiness) -> Void
    ) throws(SystemError) {
        let descriptor = try TCPSocket.another(fd)
        try TCPSocket.noticeSilence(descriptor.raw)
        source = try loop.watch(descriptor.raw, for: interest, handler)
        self.descriptor = descriptor
    }

    isolated deinit { source.cancel() }

    func setInterest(_ interest: Interest) { source.setInterest(interest) }

    var outlook: TCPSocket.Outlook { TCPSocket.outlook(descriptor.raw) }
    var isConnected: Bool { TCPSocket.isConnected(descriptor.raw) }
    var isIPv6: Bool { TCPSocket.isIPv6(descriptor.raw) }
    /// How many bytes it has brought; nil where the kernel does not tell.
    var bytesRead: Int? { TCPSocket.bytesRead(descriptor.raw) }
}

internal import HarkSystem

/// The library's socket, watched by a duplicate descriptor, which ends with this object.
///
/// The library closes its own descriptor at any time. If a program that is being started still has it then, the kernel
/// would go on watching it for a source that no longer exists.
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
    /// The number of received bytes; nil if the kernel does not report it.
    var bytesRead: Int? { TCPSocket.bytesRead(descriptor.raw) }
}

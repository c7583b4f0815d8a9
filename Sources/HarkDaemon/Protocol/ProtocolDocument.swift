/// `docs/protocol.md`, printed from the registry of methods so that it cannot say anything else.
enum ProtocolDocument {
    static var text: String {
        introduction + MethodRegistry.all.map(section).joined(separator: "\n")
    }

    private static let introduction = """
        # The protocol of harkd

        <!-- Printed by `harkd --describe`; change the methods in Sources/HarkDaemon/Methods, then run `make docs`. -->

        """

    private static func section(_ method: Method) -> String {
        "## \(method.name)\n\n\(method.summary)\n"
    }
}

import HarkClient
import HarkWire
import Testing

@testable import HarkTool

/// `hark network`, where the daemon does not know the network.
@Suite struct NetworkCommandTests {
    @Test("where the kernel tells the daemon nothing, the network is not told as an empty one")
    func unknown() throws {
        for reply in ["{}", #"{"network":null}"#] {
            #expect(throws: ToolError.self) { try Command.known(NetworkChanged(JSONText(reply)).network) }
            #expect(throws: ToolError.self) { try Command.known(NetworkResult(JSONText(reply)).network) }
        }
        let known = try Command.known(NetworkChanged(JSONText(#"{"network":{"satisfied":true}}"#)).network)
        #expect(NetworkInfo(known).satisfied)
    }
}

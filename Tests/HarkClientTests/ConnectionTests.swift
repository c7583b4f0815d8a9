import Foundation
import Glibc
import HarkClient
import HarkTesting
import Testing

@Suite struct ConnectionTests {
    @Test("a call sends one line and returns the result of its own id")
    func call() throws {
        var connection = Connection(
            adopting: Peer.answering { peer in
                #expect(peer.line() == #"{"id":1,"method":"a.b","params":{"x":1}}"#)
                peer.write(#"{"jsonrpc":"2.0","id":7,"result":{"not":"yours"}}"# + "\n")
                peer.write(#"{"jsonrpc":"2.0","id":1,"result":{"ok":true}}"# + "\n")
            })
        let result = try connection.call("a.b", Array(#"{"x":1}"#.utf8))
        #expect(result.text == #"{"ok":true}"#)
    }

    @Test("where a daemon ends before it was sent anything, the next one is asked, once")
    func nextDaemon() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.path + "/s"
        let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
        }
        try #require(bound == 0 && listen(listener, 5) == 0)
        var connection = try Connection(to: [SocketAddress(path: path)])
        let ending = accept(listener, nil, nil)
        defer { close(ending) }
        shutdown(ending, CInt(SHUT_RD))
        let next = Thread {
            let peer = Peer(accept(listener, nil, nil))
            #expect(peer.line() == #"{"id":1,"method":"a.b","params":{}}"#)
            peer.write(#"{"id":1,"result":{"from":"next"}}"# + "\n")
        }
        next.start()
        #expect(try connection.call("a.b", Array("{}".utf8)).text == #"{"from":"next"}"#)
        // What was sent something is not asked anew, as it may have been done.
        let error = #expect(throws: ClientError.self) { try connection.call("a.b", Array("{}".utf8)) }
        #expect(error?.code == .disconnected)
    }

    @Test("a reply that comes byte by byte is one reply")
    func bytewise() throws {
        var connection = Connection(
            adopting: Peer.answering { peer in
                _ = peer.line()
                for byte in #"{"id":1,"result":{"text":"né"}}"#.utf8 { peer.write(String(UnicodeScalar(byte))) }
                peer.write("\n")
            })
        #expect(try connection.call("a.b", Array("{}".utf8)).member("text") != nil)
    }

    @Test("an error reply is thrown with its message, reason and path")
    func refusal() {
        var connection = Connection(
            adopting: Peer.answering { peer in
                _ = peer.line()
                peer.write(
                    #"{"id":1,"error":{"code":-32602,"message":"no \"x\"","data":{"reason":"invalidParams","path":"$.x"}}}"#
                        + "\n")
            })
        let error = ClientError(.refused(-32602), "no \"x\"", reason: "invalidParams", path: "$.x")
        #expect(throws: error) { try connection.call("a.b", Array("{}".utf8)) }
        #expect(error.exitCode == .data)
    }

    @Test("notifications that come before the reply are kept for later")
    func notifications() throws {
        var connection = Connection(
            adopting: Peer.answering { peer in
                _ = peer.line()
                peer.write(#"{"method":"event","params":{"n":1}}"# + "\n" + #"{"id":1,"result":{}}"# + "\n")
                peer.write(#"{"method":"event","params":{"n":2}}"# + "\n")
            })
        _ = try connection.call("event.subscribe", Array("{}".utf8))
        #expect(try connection.nextNotification()?.params.text == #"{"n":1}"#)
        #expect(try connection.nextNotification()?.params.text == #"{"n":2}"#)
    }

    @Test("a daemon that goes away before its reply is told apart from one that refuses")
    func goneAway() {
        var connection = Connection(adopting: Peer.answering { peer in _ = peer.line() })
        #expect {
            try connection.call("a.b", Array("{}".utf8))
        } throws: { error in
            (error as? ClientError)?.code == .disconnected && (error as? ClientError)?.exitCode == .unavailable
        }
    }

    @Test("what is no protocol is told as that")
    func noProtocol() {
        var connection = Connection(
            adopting: Peer.answering { peer in
                _ = peer.line()
                peer.write("HTTP/1.1 400 Bad Request\n")
            })
        #expect {
            try connection.call("a.b", Array("{}".utf8))
        } throws: { error in
            (error as? ClientError)?.code == .malformedReply
        }
    }

    @Test("a reply that does not come is given up after the time that was set")
    func timeout() {
        var connection = Connection(
            adopting: Peer.answering { peer in
                _ = peer.line()
                _ = peer.line()
            })
        connection.patience = 0.05
        #expect {
            try connection.call("a.b", Array("{}".utf8))
        } throws: { error in
            (error as? ClientError)?.code == .timedOut
        }
    }
}

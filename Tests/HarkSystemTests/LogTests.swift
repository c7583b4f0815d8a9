import Glibc
import HarkSystem
import HarkTesting
import Testing

@Suite struct LogTests {
    @Test("without a journal every message is one line on stderr, with its level and what it is about")
    func standardError() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(42), observing: [\.standardErrorContent]
        ) {
            unsetenv("JOURNAL_STREAM")
            Log.error("cannot reach\nthe server", ["destination": "core", "attempt": "3"])
            Log.warning("slow")
            Log.notice("started")
            Log.info("detail")
            Log.debug("hidden")
            Log.level = .debug
            Log.debug("shown", ["a": "b\nc"])
            Log.level = .warning
            Log.notice("hidden")
            Log.error("last")
            Log.error("\u{1B}[2Jof\r\nharkd: forged\u{85}", ["execution": "a\u{1B}]0;x\u{7}\u{2028}b\u{202E}"])
            exit(42)
        }
        let lines = String(decoding: result.standardErrorContent, as: UTF8.self)
            .split(separator: "\n").filter { $0.hasPrefix("harkd: ") }
        #expect(
            lines == [
                "harkd: error: cannot reach the server (destination=core, attempt=3)",
                "harkd: warning: slow",
                "harkd: notice: started",
                "harkd: info: detail",
                "harkd: debug: shown (a=b c)",
                "harkd: error: last",
                #"harkd: error: \e[2Jof harkd: forged (execution=a\e]0;x\x07 b\u{202e})"#,
            ])
    }

    @Test("a JOURNAL_STREAM of some other file does not count")
    func otherStream() async throws {
        let result = try await #require(processExitsWith: .exitCode(42), observing: [\.standardErrorContent]) {
            setenv("JOURNAL_STREAM", "1:2", 1)
            Log.error("here")
            exit(42)
        }
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("harkd: error: here\n"))
    }

    @Test("what is not written is not even made")
    func lazyDebug() {
        func never() -> String {
            Issue.record("made for nothing")
            return ""
        }
        Log.debug(never())
    }

    @Test(
        "when stderr leads to the journal, the journal gets the fields and stderr nothing",
        .enabled(if: geteuid() == 0, "needs a mount namespace"))
    func journal() async throws {
        let result = try await #require(processExitsWith: .exitCode(42), observing: [\.standardErrorContent]) {
            let journal = try fakeJournal()
            var status = stat()
            fstat(STDERR_FILENO, &status)
            setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
            Log.warning("two\nlines", ["destination": "core"], id: "0123456789abcdef0123456789abcdef")
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(journal, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { exit(1) }
            let text = String(decoding: buffer.prefix(count), as: UTF8.self)
            for field in [
                // The journal's form for values with line breaks: name, length in 8 bytes, value.
                "MESSAGE\n\u{9}\0\0\0\0\0\0\0two\nlines\n",
                "PRIORITY=4\n", "HARK_DESTINATION=core\n", "SYSLOG_IDENTIFIER=harkd\n",
                "MESSAGE_ID=0123456789abcdef0123456789abcdef\n",
                "CODE_FILE=HarkSystemTests/LogTests.swift\n", "CODE_LINE=", "CODE_FUNC=",
            ] where !text.contains(field) {
                print(text)
                exit(2)
            }
            // Characters that journalctl would not show are escaped.
            Log.error("an \u{1B}[31mid", ["execution": "\u{1B}"])
            let next = recv(journal, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            let escaped = String(decoding: buffer.prefix(max(0, next)), as: UTF8.self)
            guard escaped.contains("MESSAGE=an \\e[31mid\n"), escaped.contains("HARK_EXECUTION=\u{1B}\n") else {
                exit(3)
            }
            // When the journal is gone, stderr is what remains.
            close(journal)
            Log.error("still here")
            exit(42)
        }
        let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("harkd: ") } == ["harkd: error: still here"])
    }
}

@_silgen_name("unshare") private func unshare(_ flags: Int32) -> Int32
@_silgen_name("mount") private func mount(
    _ source: UnsafePointer<CChar>?, _ target: UnsafePointer<CChar>, _ type: UnsafePointer<CChar>?, _ flags: UInt,
    _ data: UnsafeRawPointer?
) -> Int32

/// Puts a socket of ours where the journal's is, in a mount namespace of this thread alone.
private func fakeJournal() throws -> Int32 {
    let (newNamespace, recursive, priv) = (Int32(0x20000), UInt(0x4000), UInt(1 << 18))
    try syscall("unshare") { unshare(newNamespace) }
    try syscall("mount") { mount(nil, "/", nil, recursive | priv, nil) }
    try syscall("mount") { mount("tmpfs", "/run", "tmpfs", 0, nil) }
    for folder in ["/run/systemd", "/run/systemd/journal"] { try syscall("mkdir") { mkdir(folder, 0o755) } }
    return try boundDatagramSocket("/run/systemd/journal/socket")
}

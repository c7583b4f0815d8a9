import Glibc
import HarkSystem
import HarkTesting
import Testing

@Suite struct FileDescriptorTests {
    private func isOpen(_ fd: Int32) -> Bool { fcntl(fd, F_GETFD) != -1 }

    private func read(_ descriptor: borrowing FileDescriptor) throws -> [UInt8]? {
        try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
            try descriptor.read(into: buffer).map { Array(buffer.prefix($0)) }
        }
    }

    private func write(_ bytes: [UInt8], _ descriptor: borrowing FileDescriptor) throws -> Int? {
        try bytes.withUnsafeBytes { try descriptor.write($0) }
    }

    @Test("a descriptor is closed with its owner, and not when it was given away")
    func ownership() throws {
        let folder = try TemporaryFolder()
        // High numbers, so that no other test takes the number between closing and looking.
        func open(at number: Int32) throws -> FileDescriptor {
            let low = try FileDescriptor.open(folder.path, flags: O_RDONLY)
            let raw = low.raw
            return FileDescriptor(owning: try syscall("fcntl") { fcntl(raw, F_DUPFD_CLOEXEC, number) })
        }
        var raw: Int32 = -1
        do {
            let descriptor = try open(at: 900)
            raw = descriptor.raw
            #expect(isOpen(raw))
        }
        #expect(!isOpen(raw))
        raw = try open(at: 901).release()
        #expect(isOpen(raw))
        close(raw)
    }

    @Test("reading and writing tell bytes, the end, and that nothing goes now")
    func readWrite() throws {
        let (near, far) = try socketPair()
        let reader = FileDescriptor(owning: near)
        var writer: FileDescriptor? = FileDescriptor(owning: far)
        #expect(try read(reader) == nil)
        #expect(try write([1, 2, 3], writer!) == 3)
        #expect(try read(reader) == [1, 2, 3])
        while try write([UInt8](repeating: 7, count: 1 << 16), writer!) != nil {}
        writer = nil
        while let bytes = try read(reader), !bytes.isEmpty { #expect(bytes.allSatisfy { $0 == 7 }) }
        #expect(try read(reader) == [])
    }

    @Test("writing to a closed peer is EPIPE, once there is a loop")
    func brokenPipe() async throws {
        try await LoopThread.shared.run { _ in }
        let (near, far) = try socketPair()
        close(far)
        let error = try #require(throws: SystemError.self) {
            try write([1], FileDescriptor(owning: near))
        }
        #expect(error.code == EPIPE)
    }

    @Test("a whole file is read up to the limit and refused beyond", arguments: [0, 1, 4096, 100_000])
    func readAll(size: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/file"
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        do {
            let file = try FileDescriptor.open(path, flags: O_CREAT | O_WRONLY)
            _ = try write(bytes, file)
        }
        #expect(try FileDescriptor.open(path, flags: O_RDONLY).readAll(limit: size) == bytes)
        if size > 0 {
            let error = try #require(throws: SystemError.self) {
                _ = try FileDescriptor.open(path, flags: O_RDONLY).readAll(limit: size - 1)
            }
            #expect(error.code == EFBIG)
        }
    }

    @Test("an error tells the call, the path and the reason, and what to do where that is plain")
    func errorText() throws {
        let error = try #require(throws: SystemError.self) {
            _ = try FileDescriptor.open("/nowhere", flags: O_RDONLY)
        }
        #expect(error == SystemError(code: ENOENT, operation: "open", detail: "/nowhere"))
        #expect("\(error)" == "/nowhere (open: No such file or directory)")
        #expect("\(SystemError(code: EMFILE, operation: "accept4"))".contains("LimitNOFILE="))
    }

    @Test("a call that a signal interrupted is made again")
    func interrupted() throws {
        var calls = 0
        let result = try syscall("try") { () -> Int in
            calls += 1
            errno = EINTR
            return calls < 3 ? -1 : 5
        }
        #expect(result == 5)
        #expect(calls == 3)
    }
}

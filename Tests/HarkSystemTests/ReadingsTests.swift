import Glibc
import HarkSystem
import Testing

@Suite struct ReadingsTests {
    @Test("a clock may say anything, and what is beyond any number is brought to the nearest")
    func anyClock() {
        #expect(SystemClock.count(seconds: 2, nanoseconds: 3_456_789, perSecond: 1_000) == 2_003)
        #expect(
            SystemClock.count(seconds: 9_300_000_000, nanoseconds: 1_000, perSecond: 1_000_000) == 9_300_000_000_000_001
        )
        #expect(SystemClock.count(seconds: .max, nanoseconds: 999_999_999, perSecond: 1_000) == .max)
        #expect(SystemClock.count(seconds: .max / 1_000, nanoseconds: 999_999_999, perSecond: 1_000) == .max)
        #expect(SystemClock.count(seconds: .min, nanoseconds: 0, perSecond: 1_000_000) == .min)
    }

    @Test("the clocks agree with the C library's")
    func clocks() {
        let seconds = Int64(time(nil))
        #expect(abs(SystemClock.realtimeMilliseconds / 1000 - seconds) <= 1)
        #expect(abs(Int64(SystemClock.realtimeMicroseconds / 1_000_000) - seconds) <= 1)
        let first = SystemClock.monotonicMicroseconds
        // A clock is read twice: time has to pass.
        usleep(2000)
        #expect(SystemClock.monotonicMicroseconds >= first + 2000)
        // Boot time is monotonic time plus time suspended.
        #expect(SystemClock.boottimeMicroseconds >= first)
    }

    @Test("a file system tells its size and what is left")
    func diskSpace() throws {
        let space = try DiskSpace(of: "/tmp")
        #expect(space.totalBytes > 0)
        #expect(space.availableBytes <= space.totalBytes)
        let error = try #require(throws: SystemError.self) { try DiskSpace(of: "/nowhere") }
        #expect(error == SystemError(code: ENOENT, operation: "statvfs", detail: "/nowhere"))
    }

    @Test("resident memory grows with what is touched")
    func memory() throws {
        let before = try ProcessMemory.residentBytes()
        let block = [UInt8](repeating: 1, count: 64 << 20)
        let after = try ProcessMemory.residentBytes()
        #expect(block.last == 1)
        #expect(after >= before + (48 << 20))
    }

    @Test("what only work needs is no longer resident once it is let go of, and code runs as before")
    func code() throws {
        // Of the C++ library hardly anything runs in between; the test's own code comes back at once. What it begins with is for
        // linking alone.
        func resident(_ permissions: String) throws -> Int {
            let text = try String(
                decoding: FileDescriptor.open("/proc/self/smaps", flags: O_RDONLY).readAll(limit: 1 << 24),
                as: UTF8.self)
            var isCode = false
            var kilobytes = 0
            for line in text.split(separator: "\n") {
                if line.contains(" r-xp ") || line.contains(" r--p ") || line.contains(" rw-p ") {
                    isCode = line.contains(permissions) && line.contains("/libstdc++")
                } else if isCode, line.hasPrefix("Rss:") {
                    kilobytes += Int(line.split(separator: " ")[1]) ?? 0
                }
            }
            return kilobytes
        }
        let before = (code: try resident(" r-xp "), beginning: try resident(" r--p 00000000 "))
        try #require(before.code > 0 && before.beginning > 0)
        ProcessMemory.release()
        #expect(try resident(" r-xp ") < before.code)
        #expect(try resident(" r--p 00000000 ") < before.beginning)
    }
}

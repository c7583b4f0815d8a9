import Glibc

/// The machine of the measurements, in lines for the head of the table.
func machine(folder: String) throws -> String {
    func member(_ name: String, of path: String) throws -> String {
        let line = try textOfFile(path).split(separator: "\n").first { $0.hasPrefix(name) }
        return line.map { String($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " || $0 == "\t" }) } ?? "unknown"
    }
    var system = utsname()
    uname(&system)
    let release = withUnsafeBytes(of: &system.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return """
        cpu      \(try member("model name", of: "/proc/cpuinfo")), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores
        memory   \(try member("MemTotal", of: "/proc/meminfo"))
        kernel   Linux \(release)
        disk     \(try mount(of: folder))
        load     \(try textOfFile("/proc/loadavg").prefix { $0 != " " }) before this run; figures of a busy machine say little
        """
}

/// File system, device and options of the mount that holds a folder.
private func mount(of folder: String) throws -> String {
    let path = try absolutePath(folder) + "/"
    let mounts = try textOfFile("/proc/self/mounts").split(separator: "\n").map { $0.split(separator: " ") }
    let holder = mounts.filter { path.hasPrefix($0[1] == "/" ? "/" : $0[1] + "/") }.max { $0[1].count < $1[1].count }
    guard let holder else { return "unknown" }
    return "\(holder[2]) on \(holder[0]) (\(holder[3]))"
}

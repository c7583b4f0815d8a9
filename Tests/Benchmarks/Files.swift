import Glibc

func textOfFile(_ path: String) throws -> String {
    let file = try check(path, open(path, O_RDONLY))
    defer { close(file) }
    var text: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65536)
    while true {
        let count = try check(path, read(file, &part, part.count))
        if count == 0 { return String(decoding: text, as: UTF8.self) }
        text += part[..<count]
    }
}

func absolutePath(_ path: String) throws -> String {
    guard let real = realpath(path, nil) else { throw Failure.system(path) }
    defer { free(real) }
    return String(cString: real)
}

func namesInFolder(_ path: String) throws -> [String] {
    guard let folder = opendir(path) else { throw Failure.system(path) }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { names.append(name) }
    }
    return names
}

/// Removes a folder of this benchmark with its content.
func removeFolder(_ path: String) throws {
    for name in try namesInFolder(path) {
        let child = path + "/" + name
        var info = stat()
        try check(child, lstat(child, &info))
        if info.st_mode & S_IFMT == S_IFDIR { try removeFolder(child) } else { try check(child, unlink(child)) }
    }
    try check(path, rmdir(path))
}

/// The disk usage of a folder and the folders in it.
func bytesInFolder(_ path: String) throws -> Double {
    try namesInFolder(path).reduce(0) { sum, name in
        let child = path + "/" + name
        var info = stat()
        try check(child, lstat(child, &info))
        return try sum + (info.st_mode & S_IFMT == S_IFDIR ? bytesInFolder(child) : Double(info.st_size))
    }
}

/// The floor: the nanoseconds of each of `count` appends of 200 bytes with a sync after each.
func appendsWithSync(in folder: String, count: Int) throws -> [Double] {
    let path = folder + "/floor"
    let file = try check(path, open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600))
    defer {
        close(file)
        unlink(path)
    }
    let line = [UInt8](repeating: 0x61, count: 200)
    return try (0..<count).map { _ in
        try measure {
            try check("write", write(file, line, line.count))
            try check("fdatasync", fdatasync(file))
        }
    }
}

func writeFile(_ path: String, _ text: String) throws {
    let descriptor = try check(path, open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
    defer { close(descriptor) }
    var rest = ArraySlice(text.utf8)
    while !rest.isEmpty {
        let count = try check(path, rest.withUnsafeBytes { write(descriptor, $0.baseAddress!, $0.count) })
        rest.removeFirst(count)
    }
}

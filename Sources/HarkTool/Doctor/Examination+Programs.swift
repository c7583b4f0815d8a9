import HarkClient
import HarkWire

extension Examination {
    /// The programs, their libraries, and whether they have the same version.
    var programs: Finding {
        let id = "programs"
        guard let harkd = machine.program("harkd") else {
            return .fault(id, "harkd is neither in the folder of hark nor on the PATH", install("hark"))
        }
        let version: String
        switch machine.run([harkd, "--version"]) {
        case .ended(0, let output): version = Self.version(in: output)
        case .ended(let code, let output): return broken(harkd, code, output)
        case .absent(let why): return .fault(id, "\(harkd) cannot be run: \(why)", install("--reinstall hark"))
        case .tookTooLong: return .fault(id, "\(harkd) --version does not end", install("--reinstall hark"))
        }
        guard version == Version.current else {
            return .fault(
                id, "hark is \(Version.current), but \(harkd) is \(version): install both in the same version",
                install("--reinstall hark"))
        }
        return .ok(id, "hark and \(harkd) are of version \(version)")
    }

    private static func version(in output: String) -> String {
        output.split { $0 == " " || $0.isNewline }.last.map(String.init) ?? ""
    }

    private func broken(_ program: String, _ code: CInt, _ output: String) -> Finding {
        guard let library = Self.missingLibrary(in: output) else {
            return .fault(
                "programs", "\(program) --version ends with \(code)\(Self.said(output))", install("--reinstall hark"))
        }
        return .fault(
            "programs", "\(program) cannot be run without the library \(library)",
            install(Self.package(of: library)))
    }

    /// Returns the first line of a program's output.
    static func said(_ output: String) -> String {
        output.split(whereSeparator: \.isNewline).first.map { ": \($0)" } ?? ""
    }

    /// Returns the library named in the loader's `…: error while loading shared libraries: libX.so.1: cannot open …`.
    static func missingLibrary(in output: String) -> String? {
        guard let words = output.firstRange(of: "shared libraries: ") else { return nil }
        let name = output[words.upperBound...].prefix { $0 != ":" }
        return name.contains(".so") && !name.contains(where: \.isWhitespace) ? String(name) : nil
    }

    /// Returns the Debian package of a library by Debian's naming: libsimdjson.so.14 is in libsimdjson14.
    static func package(of library: String) -> String {
        let known = [
            "libz.so.1": "zlib1g", "libgcc_s.so.1": "libgcc-s1", "libstdc++.so.6": "libstdc++6",
            "libgtk-4.so.1": "libgtk-4-1", "libadwaita-1.so.0": "libadwaita-1-0",
        ]
        if let package = known[library] { return package }
        guard let point = library.firstRange(of: ".so") else { return library }
        let name = library[..<point.lowerBound]
        let number = library[point.upperBound...].drop { $0 == "." }.prefix { $0.isNumber }
        return name.last?.isNumber == true ? "\(name)-\(number)" : "\(name)\(number)"
    }
}

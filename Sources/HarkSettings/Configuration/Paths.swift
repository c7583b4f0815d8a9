import Glibc
import HarkCore
package import HarkWire

/// The locations of all files, by mode, environment and options.
package struct Paths: Sendable {
    package var socket: String
    package var state: String
    package var configuration: String
    /// The version up to which documents of a hub are read; it decides which of their files is used.
    package var reads = DocumentMember.newest

    /// Uses the folders of the XDG base directory specification and of systemd's `*_DIRECTORY` variables.
    package init(isSystem: Bool, environment: [String: String], uid: UInt32 = getuid()) {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        /// systemd separates several folders by colons; the daemon uses the first.
        func folder(_ name: String) -> String? {
            value(name).map { String($0.prefix { $0 != ":" }) }
        }
        let fromUnit: (socket: String?, state: String?, configuration: String?) = (
            folder("RUNTIME_DIRECTORY").map { $0 + "/hark.sock" }, folder("STATE_DIRECTORY"),
            folder("CONFIGURATION_DIRECTORY")
        )
        if isSystem {
            socket = value("HARK_SOCKET") ?? fromUnit.socket ?? SocketPath.system
            state = value("HARK_STATE") ?? fromUnit.state ?? "/var/lib/hark"
            configuration = value("HARK_CONFIG") ?? fromUnit.configuration ?? "/etc/hark"
        } else {
            let usual = SocketPath.user(environment: value, uid: uid) { access($0, F_OK) == 0 }
            socket = value("HARK_SOCKET") ?? fromUnit.socket ?? usual
            state = value("HARK_STATE") ?? fromUnit.state ?? SocketPath.userState(environment: value)
            let home = value("XDG_CONFIG_HOME") ?? (value("HOME") ?? "") + "/.config"
            configuration = value("HARK_CONFIG") ?? fromUnit.configuration ?? home + "/hark"
        }
    }

    package var configurationFile: String { configuration + "/harkd.json" }

    /// The folder of the documents from a machine's hub.
    package var hubDocuments: String { Paths.hubDocuments(in: state) }

    package static func hubDocuments(in state: String) -> String { "\(state)/fleet" }

    /// A path that begins at the folder of `harkd.json` if it is relative.
    package func inConfiguration(_ path: String) -> String { path.hasPrefix("/") ? path : "\(configuration)/\(path)" }
}

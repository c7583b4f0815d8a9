import Glibc
package import HarkCore
import HarkSystem

/// `harkd.json` on disk. A missing file counts as an empty one.
package enum ConfigurationFile {
    package struct Loaded: Sendable {
        package let configuration: Configuration
        package let warnings: [DocumentIssue]
        package let exists: Bool
    }

    /// The file cannot be used; the description lists every fault with its JSON path, one per line.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String
    }

    package static let maxBytes = 16 << 20

    package static func load(_ path: String, _ sections: [any SettingsSection.Type]) throws(Refusal) -> Loaded {
        let text: [UInt8]
        do throws(SystemError) {
            text = try FileDescriptor.contents(of: path, limit: maxBytes)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR {
                var configuration = Configuration()
                configuration.sections = SettingsSections(sections)
                return Loaded(configuration: configuration, warnings: [], exists: false)
            }
            throw Refusal(description: "\(path) cannot be read: \(error)")
        }
        let (configuration, issues) = DocumentKind.settings(with: sections).read(text)
        guard let configuration, issues.errors.isEmpty else {
            let faults = issues.errors.map(\.description).joined(separator: "\n  ")
            throw Refusal(description: "\(path) is not usable:\n  \(faults)")
        }
        return Loaded(configuration: configuration, warnings: issues.warnings, exists: true)
    }
}
